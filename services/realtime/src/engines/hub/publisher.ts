import type { Event } from '@parley/contracts/internal'
import type { Metrics } from '../../metrics.ts'
import { changesOfPerson, type EventFrame } from './event-frames.ts'
import { hintFrame } from './frame.ts'
import { KeyedThrottle } from './keyed-throttle.ts'
import { keyOf } from './replay-buffer.ts'
import { topics } from './topics.ts'
import { openOf, type UserAccess } from './user-access.ts'

type Options = {
  /** Sends one frame to every socket that is subscribed to a topic. */
  publish: (topic: string, frame: Uint8Array) => void
  /** The people on this node. */
  users: ReadonlyMap<string, UserAccess>
  metrics: Pick<Metrics, 'published'>
}

/** Publishes the frames of events to topics. */
export class Publisher implements Disposable {
  readonly #options: Options
  readonly #throttle = new KeyedThrottle()
  #newest: Event | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Publishes the next event of the stream. */
  publish(event: Event, frames: readonly EventFrame[]): void {
    this.#newest = event
    if (this.#options.users.size === 0) return
    for (const frame of frames) {
      if (frame.about !== undefined) {
        this.#throttle.offer(keyOf(frame.about), () => this.#publishLatest(event, frame))
        continue
      }
      if (frame.roomId !== undefined) this.#publishToRoom(frame.roomId, frame, frames)
      else if (frame.userIds) this.#publishToUsers(frame.userIds, frame)
      else this.#options.publish(topics.everyone, frame.bytes)
      this.#options.metrics.published(event)
    }
  }

  /** Drops waiting events about a person. */
  forget(userId: string): void {
    for (const property of changesOfPerson.values()) this.#throttle.forget(keyOf({ userId, property }))
  }

  [Symbol.dispose](): void {
    this.#throttle[Symbol.dispose]()
  }

  /** A delayed frame has no position, like hints: later events have been published before it. */
  #publishLatest(event: Event, { envelope, bytes }: EventFrame): void {
    this.#options.publish(topics.everyone, event === this.#newest ? bytes : hintFrame(envelope))
    this.#options.metrics.published(event)
  }

  #publishToUsers(userIds: readonly string[], { bytes }: EventFrame): void {
    for (const userId of userIds) if (this.#options.users.has(userId)) this.#options.publish(topics.user(userId), bytes)
  }

  /** Excludes people to whom the event is also addressed, such as joiners and leavers, so that they receive it once. */
  #publishToRoom(roomId: string, frame: EventFrame, frames: readonly EventFrame[]): void {
    const topic = topics.room(roomId)
    const aside = this.#alsoInPerson(frame, frames).flatMap((user) => (user.rooms.has(roomId) ? openOf(user) : []))
    for (const connection of aside) connection.unsubscribe(topic)
    this.#options.publish(topic, frame.bytes)
    for (const connection of aside) connection.subscribe(topic)
  }

  #alsoInPerson(frame: EventFrame, frames: readonly EventFrame[]): UserAccess[] {
    if (frames.length === 1) return []
    return frames.flatMap(({ userIds = [], envelope }) =>
      sameBytes(envelope, frame.envelope) ? userIds.flatMap((userId) => this.#options.users.get(userId) ?? []) : [],
    )
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0
