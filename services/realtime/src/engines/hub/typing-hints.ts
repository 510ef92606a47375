import { fromBinary } from '@bufbuild/protobuf'
import { TypingHintSchema, type TypingHint } from '@parley/contracts/internal'
import { realtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { hintFrame } from './frame.ts'
import { isBehind, type HintTopics } from './hint-topics.ts'
import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import { openOf, type UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  /** Number of sockets subscribed to a topic. */
  subscribers: (topic: string) => number
  users: ReadonlyMap<string, UserAccess>
  hintTopics: HintTopics
  /** Applies waiting events of the stream. */
  catchUp: () => void
  unreadable: (error: unknown) => void
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/**
 * With more subscribed sockets on this node typing hints are not sent, because they are of little use and much work.
 */
const maxSockets = 500
const maxWaiting = 10_000
const heldMs = 100
/**
 * Hints are sent for at most this many places (room and threads) of a person per window, once each. Clients repeat less
 * often.
 */
const [maxPlaces, windowMs] = [3, 2_000]

/**
 * Sends typing hints: of a channel to its members, of a direct message to its participants, never to the typing person,
 * and at a limited rate per person. A hint is held for a moment, in which duplicates are merged: hints can overtake the
 * stream, and people who lost access before must not receive it.
 */
export class TypingHints implements Disposable {
  readonly #options: Options
  readonly #waiting = new Map<string, TypingHint>()
  /** Places already sent in the current window, by room and person. */
  readonly #sent = new Map<string, Set<string>>()
  #windowEndsAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  take(bytes: Uint8Array): void {
    if (this.#options.users.size === 0 || this.#waiting.size >= maxWaiting) return
    let hint: TypingHint
    try {
      hint = fromBinary(TypingHintSchema, bytes)
    } catch (error) {
      return this.#options.unreadable(error)
    }
    const { roomId, userId, threadRootEventId } = hint
    this.#waiting.set(`${roomId} ${userId} ${threadRootEventId}`, hint)
    this.#timer ??= setTimeout(() => this.flush(), heldMs)
  }

  /** Sends the waiting hints. */
  flush(): void {
    this[Symbol.dispose]()
    this.#options.catchUp()
    const hints = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const hint of hints) if (this.#isNew(hint)) this.#send(hint)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #isNew({ roomId, userId, threadRootEventId }: TypingHint): boolean {
    const now = (this.#options.now ?? (() => performance.now()))()
    if (now >= this.#windowEndsAt) {
      this.#sent.clear()
      this.#windowEndsAt = now + windowMs
    }
    const key = `${roomId} ${userId}`
    const places = this.#sent.get(key) ?? new Set()
    if (places.size >= maxPlaces || places.has(threadRootEventId)) return false
    this.#sent.set(key, places.add(threadRootEventId))
    return true
  }

  #send(hint: TypingHint): void {
    const { users, hintTopics, subscribers } = this.#options
    const { roomId, userId, dmParticipantIds } = hint
    if (dmParticipantIds.length > 0) {
      for (const other of dmParticipantIds.filter((id) => id !== userId)) {
        const user = users.get(other)
        if (user) this.#publish(topics.user(other), hint, openOf(user).filter(isBehind))
      }
      return
    }
    const topic = topics.roomHints(roomId)
    const listening = subscribers(topic)
    if (listening === 0 || listening > maxSockets) return
    const typist = users.get(userId)
    const own = typist?.rooms.has(roomId) ? openOf(typist).filter(hintTopics.isGiven) : []
    this.#publish(topic, hint, own)
  }

  /** Sockets that must not receive it are removed from the topic during this. */
  #publish(topic: string, { roomId, userId, threadRootEventId }: TypingHint, aside: readonly Subscriber[]): void {
    const value = { roomId, ...(threadRootEventId && { threadRootEventId }) }
    const event = { id: newId('event'), createdAt: new Date(), actorId: userId, value }
    for (const connection of aside) connection.unsubscribe(topic)
    this.#options.publish(topic, hintFrame(realtimeEnvelope('user_typing', event)))
    for (const connection of aside) connection.subscribe(topic)
  }
}
