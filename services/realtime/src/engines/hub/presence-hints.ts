import { fromBinary } from '@bufbuild/protobuf'
import { PresenceHintSchema, type PresenceHint } from '@parley/contracts/internal'
import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { frameWithoutPosition } from './frame.ts'
import { isBehind } from './hint-topics.ts'
import { KeyedThrottle } from './keyed-throttle.ts'
import { topics } from './topics.ts'
import type { UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  users: ReadonlyMap<string, UserAccess>
  onUnreadable: (error: unknown) => void
}

/** The newest versions of this number of users are remembered; then all are forgotten. */
const maxRemembered = 100_000
/** The interval per person when many are online. */
const crowdedMs = 15_000

/**
 * Hints come from several processes in any order; those older than the newest of a user are dropped. Changes of one
 * person are sent at most every two seconds. If many people are online, hints name their recipients, and the interval
 * is fifteen seconds.
 */
export class PresenceHints implements Disposable {
  readonly #options: Options
  readonly #newest = new Map<string, bigint>()
  readonly #throttle = new KeyedThrottle()
  readonly #crowded = new KeyedThrottle(crowdedMs)

  constructor(options: Options) {
    this.#options = options
  }

  receive(bytes: Uint8Array): void {
    let hint: PresenceHint
    try {
      hint = fromBinary(PresenceHintSchema, bytes)
    } catch (error) {
      return this.#options.onUnreadable(error)
    }
    const { userId, version, crowded } = hint
    if (version <= (this.#newest.get(userId) ?? 0n)) return
    if (this.#newest.size >= maxRemembered) this.#newest.clear()
    this.#newest.set(userId, version)
    if (this.#options.users.size === 0) return
    if (crowded) this.#crowded.offer(userId, () => this.#publishToAudience(hint))
    else this.#throttle.offer(userId, () => this.#options.publish(topics.hints, frameOf(hint)))
  }

  #publishToAudience(hint: PresenceHint): void {
    const recipients = hint.audience.flatMap((userId) => this.#options.users.get(userId) ?? [])
    if (recipients.length === 0) return
    const frame = frameOf(hint)
    for (const user of recipients) this.#publishToUser(user, frame)
  }

  #publishToUser({ userId, connections }: UserAccess, frame: Uint8Array): void {
    const topic = topics.user(userId)
    const behind = [...connections].filter((connection) => connection.isOpen && isBehind(connection))
    for (const connection of behind) connection.unsubscribe(topic)
    this.#options.publish(topic, frame)
    for (const connection of behind) connection.subscribe(topic)
  }

  [Symbol.dispose](): void {
    this.#throttle[Symbol.dispose]()
    this.#crowded[Symbol.dispose]()
  }
}

function frameOf({ userId, status }: PresenceHint): Uint8Array {
  const event = { id: newId('event'), createdAt: new Date(), value: { userId, status } }
  return frameWithoutPosition(encodeRealtimeEnvelope('presence_changed', event))
}
