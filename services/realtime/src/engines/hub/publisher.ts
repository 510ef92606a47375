import type { Event } from '@parley/contracts/internal'
import type { Metrics } from '../../metrics.ts'
import { newestMatters, type EventFrame } from './event-frames.ts'
import { hintFrame } from './frame.ts'
import { KeyedThrottle } from './keyed-throttle.ts'
import { deletion, keyOf, type About } from './replay-buffer.ts'
import { SlicedBroadcast } from './sliced-broadcast.ts'
import { topics } from './topics.ts'
import { openOf, type UserAccess } from './user-access.ts'

type Options = {
  /** Sends one frame to every socket that is subscribed to a topic. */
  publish: (topic: string, frame: Uint8Array) => void
  /** The people on this node. */
  users: ReadonlyMap<string, UserAccess>
  /** Number of sockets on this node. */
  sockets: () => number
  metrics: Pick<Metrics, 'published'>
}

/** Publishes the frames of events to topics. */
export class Publisher implements Disposable {
  readonly #options: Options
  readonly #throttle = new KeyedThrottle()
  readonly #broadcast: SlicedBroadcast
  #newest: Event | undefined

  constructor(options: Options) {
    this.#options = options
    this.#broadcast = new SlicedBroadcast(options)
  }

  /** Publishes the next event of the stream. */
  publish(event: Event, frames: readonly EventFrame[]): void {
    this.#newest = event
    // Whoever comes later reads the state after this event, or is replayed it: nothing older may follow.
    if (this.#options.users.size === 0) return this.clear()
    for (const frame of frames) {
      const { about } = frame
      if (about !== undefined) {
        const key = keyOf(about)
        // A socket that resumes receives the newest at once, so nothing older may follow.
        this.#broadcast.replace(key, () => hintFrame(frame.envelope))
        this.#throttle.offer(key, () => this.#publishLatest(event, frame, about))
        continue
      }
      if (frame.roomId !== undefined) this.#publishToRoom(frame.roomId, frame, frames)
      else if (frame.userIds) this.#publishToUsers(frame.userIds, frame)
      else this.#options.publish(topics.everyone, frame.bytes)
      this.#options.metrics.published(event)
    }
  }

  /** Drops waiting events about a person but the deletion of the account. */
  forget(userId: string): void {
    for (const property of newestMatters.values()) {
      if (property === deletion) continue
      const key = keyOf({ subject: userId, property })
      this.#throttle.forget(key)
      this.#broadcast.forget(key)
    }
  }

  /** Drops all waiting events. */
  clear(): void {
    this.#throttle.clear()
    this.#broadcast.clear()
  }

  [Symbol.dispose](): void {
    this.clear()
  }

  /** A delayed frame has no position, like hints: later events have been published before it. */
  #publishLatest(event: Event, { envelope, bytes }: EventFrame, about: About): void {
    const late = (): Uint8Array => hintFrame(envelope)
    this.#broadcast.send(keyOf(about), event === this.#newest ? bytes : late(), late)
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
