import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import { RoomFactSchema, type MessagingInternalService, type RoomFact } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'

type Change = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>
type Created = Extract<Change, { case: 'created' }>['value']

/** Creates the facts of one room, as the rooms service does, and delivers them. */
export class RoomFeed {
  readonly roomId = newId('room')
  readonly facts: RoomFact[] = []
  readonly #messaging: Client<typeof MessagingInternalService>
  #delivered = 0

  constructor(messaging: Client<typeof MessagingInternalService>) {
    this.#messaging = messaging
  }

  async channel(members: string[], created: Created = {}): Promise<this> {
    const kind = RoomKind.CHANNEL
    this.add({ case: 'created', value: { kind, groupId: 'G1', name: 'tea', ...created } }, 'maker')
    for (const userId of members) this.add({ case: 'joined', value: { userId } }, userId)
    return await this.deliver()
  }

  async dm(participantIds: string[]): Promise<this> {
    this.add({ case: 'created', value: { kind: RoomKind.DM, participantIds } }, participantIds[0] ?? '')
    for (const userId of participantIds) this.add({ case: 'joined', value: { userId } }, userId)
    return await this.deliver()
  }

  join = (userId: string) => this.apply({ case: 'joined', value: { userId } }, userId)
  leave = (userId: string) => this.apply({ case: 'left', value: { userId } }, userId)
  unban = (userId: string) => this.apply({ case: 'unbanned', value: { userId } })
  archive = () => this.apply({ case: 'archived', value: {} })
  unarchive = () => this.apply({ case: 'unarchived', value: {} })
  setUniversal = (universal: boolean) => this.apply({ case: 'universal', value: { universal } })

  ban(userId: string, expiresAt?: Date): Promise<this> {
    const value = { userId, ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }) }
    return this.apply({ case: 'banned', value })
  }

  apply(change: Change, actorId = 'maker'): Promise<this> {
    this.add(change, actorId)
    return this.deliver()
  }

  /** Delivers the facts that are not delivered yet, and waits until their events are on the stream. */
  async deliver(): Promise<this> {
    const facts = this.facts.slice(this.#delivered)
    const { heldVersion } = await this.#messaging.applyRoomFacts({ roomId: this.roomId, facts, awaitStream: true })
    if (heldVersion !== BigInt(this.facts.length))
      throw new Error(`applied ${heldVersion} of ${this.facts.length} facts`)
    this.#delivered = this.facts.length
    return this
  }

  retryUntilApplied(first: Promise<this>): Promise<this> {
    return first.catch(() => eventually(() => this.deliver()))
  }

  /** Adds a fact without delivering it. */
  add(change: Change, actorId = 'maker'): RoomFact {
    const fact = create(RoomFactSchema, {
      version: BigInt(this.facts.length + 1),
      eventId: newId('event'),
      occurredAt: timestampFromDate(new Date()),
      actorId,
      fact: change,
    })
    this.facts.push(fact)
    return fact
  }
}
