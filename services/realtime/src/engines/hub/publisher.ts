import type { Event } from '@parley/contracts/internal'
import type { Metrics } from '../../metrics.ts'
import { propertyByThrottledKind, type EventFrame } from './event-frames.ts'
import { frameWithoutPosition } from './frame.ts'
import { KeyedThrottle } from './keyed-throttle.ts'
import { deletionProperty, keyOf, type ThrottleKey } from './replay-buffer.ts'
import { SlicedBroadcast } from './sliced-broadcast.ts'
import { topics } from './topics.ts'
import { openConnectionsOf, type UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  users: ReadonlyMap<string, UserAccess>
  countSockets: () => number
  metrics: Pick<Metrics, 'countPublished'>
}

export class Publisher implements Disposable {
  readonly #options: Options
  readonly #throttle = new KeyedThrottle()
  readonly #broadcast: SlicedBroadcast
  #newest: Event | undefined

  constructor(options: Options) {
    this.#options = options
    this.#broadcast = new SlicedBroadcast(options)
  }

  publish(event: Event, frames: readonly EventFrame[]): void {
    this.#newest = event
    // A client that connects later reads the newest state, or receives a replay, so nothing older may follow.
    if (this.#options.users.size === 0) return this.clear()
    for (const frame of frames) {
      const { throttleKey } = frame
      if (throttleKey !== undefined) {
        const key = keyOf(throttleKey)
        // A socket that resumes receives the newest frame at once, so nothing older may follow.
        this.#broadcast.replace(key, () => frameWithoutPosition(frame.envelope))
        this.#throttle.offer(key, () => this.#publishLatest(event, frame, throttleKey))
        continue
      }
      if (frame.roomId !== undefined) this.#publishToRoom(frame.roomId, frame, frames)
      else if (frame.userIds) this.#publishToUsers(frame.userIds, frame)
      else this.#options.publish(topics.everyone, frame.bytes)
      this.#options.metrics.countPublished(event)
    }
  }

  /** Drops the waiting events about a user, except the deletion of the account. */
  forget(userId: string): void {
    for (const property of propertyByThrottledKind.values()) {
      if (property === deletionProperty) continue
      const key = keyOf({ subject: userId, property })
      this.#throttle.forget(key)
      this.#broadcast.forget(key)
    }
  }

  clear(): void {
    this.#throttle.clear()
    this.#broadcast.clear()
  }

  [Symbol.dispose](): void {
    this.clear()
  }

  /** A delayed frame has no position: later events have been published before it. */
  #publishLatest(event: Event, { envelope, bytes }: EventFrame, throttleKey: ThrottleKey): void {
    const late = (): Uint8Array => frameWithoutPosition(envelope)
    this.#broadcast.send(keyOf(throttleKey), event === this.#newest ? bytes : late(), late)
    this.#options.metrics.countPublished(event)
  }

  #publishToUsers(userIds: readonly string[], { bytes }: EventFrame): void {
    for (const userId of userIds) if (this.#options.users.has(userId)) this.#options.publish(topics.user(userId), bytes)
  }

  /** Leaves out people who receive the event individually, such as joiners and leavers. */
  #publishToRoom(roomId: string, frame: EventFrame, frames: readonly EventFrame[]): void {
    const topic = topics.room(roomId)
    const excluded = this.#individualRecipients(frame, frames).flatMap((user) =>
      user.rooms.has(roomId) ? openConnectionsOf(user) : [],
    )
    for (const connection of excluded) connection.unsubscribe(topic)
    this.#options.publish(topic, frame.bytes)
    for (const connection of excluded) connection.subscribe(topic)
  }

  #individualRecipients(frame: EventFrame, frames: readonly EventFrame[]): UserAccess[] {
    if (frames.length === 1) return []
    return frames.flatMap(({ userIds = [], envelope }) =>
      sameBytes(envelope, frame.envelope) ? userIds.flatMap((userId) => this.#options.users.get(userId) ?? []) : [],
    )
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && Buffer.compare(a, b) === 0
