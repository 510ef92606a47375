import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import type { MessagePostedFactSchema } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema, type RealtimeEventEnvelope } from '@parley/contracts/realtime'
import type { OutgoingEvent } from '@parley/events'
import { newId } from '@parley/ids'
import type { Bus } from '@parley/rpc'
import { publishEvents, type Recording } from '@parley/testkit'

export { publishEvents as publish } from '@parley/testkit'

export type PostedFact = MessageInitShape<typeof MessagePostedFactSchema>

/** Publishes the events of a room like messaging: all but read markers take the next place in its log. */
export class RoomPublisher {
  readonly #bus: Bus
  readonly #roomId: string
  #seq = 0n
  /** Including the events that were not published, because `isHolding` was set. */
  readonly created: OutgoingEvent[] = []
  isHolding = false

  constructor(bus: Bus, roomId: string) {
    this.#bus = bus
    this.#roomId = roomId
  }

  get seq(): bigint {
    return this.#seq
  }

  async post(actorId: string, fact: PostedFact = {}): Promise<string> {
    const id = newId('event')
    this.#seq++
    await this.#room('message_posted', { case: 'messagePosted', value: { ...fact, roomSeq: this.#seq } }, actorId, id)
    return id
  }

  async resolve(messageEventId: string, authorId: string, messageRoomSeq: bigint, fact: PostedFact): Promise<void> {
    this.#seq++
    const posted = { ...fact, roomSeq: messageRoomSeq }
    const value = { roomSeq: this.#seq, messageEventId, authorId, messageRoomSeq, posted }
    await this.#room('mentions_resolved', { case: 'mentionsResolved', value })
  }

  async retract(messageEventId: string, more: { channelEchoEventId?: string; echoOnly?: boolean } = {}): Promise<void> {
    const value = { roomSeq: ++this.#seq, messageEventId, ...more }
    await this.#room('message_retracted', { case: 'messageRetracted', value })
  }

  async leave(userId: string, how: 'left' | 'banned' = 'left', occurredAt = new Date()): Promise<void> {
    const fact = { case: how, value: { userId } } as const
    const kind = how === 'left' ? 'user_left_room' : 'member_banned'
    const value = { roomSeq: ++this.#seq, fact: { eventId: newId('event'), fact } }
    const about = { aggregateType: 'room', aggregateId: this.#roomId, version: this.#seq } as const
    await this.announce({ kind, ...about, occurredAt, actorId: '', fact: { case: 'roomFact', value } })
  }

  /** Later events reuse places, as after a restore of messaging's database. */
  goBack(seq: bigint): void {
    this.#seq = seq
  }

  async read(
    userId: string,
    upToRoomSeq: bigint = this.#seq,
    { threadRootEventId = '', occurredAt = new Date() } = {},
  ): Promise<void> {
    await this.announce({
      kind: threadRootEventId ? 'thread_marked_as_read' : 'room_marked_as_read',
      ...{ aggregateType: 'reader', aggregateId: userId, version: 1n, occurredAt, actorId: userId },
      fact: { case: 'read', value: { roomId: this.#roomId, threadRootEventId, upToRoomSeq } },
    })
  }

  #room(kind: string, fact: OutgoingEvent['fact'], actorId = '', id = newId('event')): Promise<void> {
    const about = { aggregateType: 'room', aggregateId: this.#roomId, version: this.#seq } as const
    return this.announce({ id, kind, ...about, occurredAt: new Date(), actorId, fact })
  }

  async announce(event: OutgoingEvent): Promise<void> {
    const created = { id: newId('event'), ...event }
    this.created.push(created)
    if (!this.isHolding) await publishEvents(this.#bus, created)
  }
}

export function receivedBy({ events }: Recording, userId: string): RealtimeEventEnvelope['event'][] {
  const received = new Map<string, RealtimeEventEnvelope['event']>()
  for (const { deliveries } of events) {
    for (const { audience, envelope } of deliveries) {
      if (audience.case !== 'users' || !audience.value.userIds.includes(userId)) continue
      const { id, event } = fromBinary(RealtimeEventEnvelopeSchema, envelope)
      received.set(id, event)
    }
  }
  return [...received.values()]
}
