import { fromBinary } from '@bufbuild/protobuf'
import { TypingHintSchema, type TypingHint } from '@parley/contracts/internal'
import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { frameWithoutPosition } from './frame.ts'
import { isBehind, type HintTopics } from './hint-topics.ts'
import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import { openConnectionsOf, type UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  countSubscribers: (topic: string) => number
  users: ReadonlyMap<string, UserAccess>
  hintTopics: HintTopics
  catchUp: () => void
  onUnreadable: (error: unknown) => void
  /** A monotonic clock, in milliseconds. */
  now?: () => number
}

/** If more sockets on this node are subscribed to a room's hints, none are sent: they are costly and of little use. */
const maxSockets = 500
const maxWaiting = 10_000
const holdMs = 100
/** Per window, person and room; the room itself counts as a thread. Clients send hints less often. */
const [maxThreads, windowMs] = [3, 2_000]

/**
 * The typing person receives no hint. A hint is held for a moment, because it can overtake the stream, and people who
 * have just lost access must not receive it. Meanwhile duplicates are merged.
 */
export class TypingHints implements Disposable {
  readonly #options: Options
  readonly #waiting = new Map<string, TypingHint>()
  /** Threads of sent hints in the current window, by room and person. An empty id stands for the room itself. */
  readonly #sent = new Map<string, Set<string>>()
  #windowEndsAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  receive(bytes: Uint8Array): void {
    if (this.#options.users.size === 0 || this.#waiting.size >= maxWaiting) return
    let hint: TypingHint
    try {
      hint = fromBinary(TypingHintSchema, bytes)
    } catch (error) {
      return this.#options.onUnreadable(error)
    }
    const { roomId, userId, threadRootEventId } = hint
    this.#waiting.set(`${roomId} ${userId} ${threadRootEventId}`, hint)
    this.#timer ??= setTimeout(() => this.flush(), holdMs)
  }

  flush(): void {
    this.#stopTimer()
    this.#options.catchUp()
    const hints = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const hint of hints) if (this.#admit(hint)) this.#send(hint)
  }

  [Symbol.dispose](): void {
    this.#stopTimer()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #admit({ roomId, userId, threadRootEventId }: TypingHint): boolean {
    const now = (this.#options.now ?? (() => performance.now()))()
    if (now >= this.#windowEndsAt) {
      this.#sent.clear()
      this.#windowEndsAt = now + windowMs
    }
    const key = `${roomId} ${userId}`
    const threads = this.#sent.get(key) ?? new Set()
    if (threads.size >= maxThreads || threads.has(threadRootEventId)) return false
    this.#sent.set(key, threads.add(threadRootEventId))
    return true
  }

  #send(hint: TypingHint): void {
    const { users, hintTopics, countSubscribers } = this.#options
    const { roomId, userId, dmParticipantIds } = hint
    if (dmParticipantIds.length > 0) {
      for (const other of dmParticipantIds.filter((id) => id !== userId)) {
        const user = users.get(other)
        if (user) this.#publish(topics.user(other), hint, openConnectionsOf(user).filter(isBehind))
      }
      return
    }
    const topic = topics.roomHints(roomId)
    const listening = countSubscribers(topic)
    if (listening === 0 || listening > maxSockets) return
    const typist = users.get(userId)
    const own = typist?.rooms.has(roomId) ? openConnectionsOf(typist).filter(hintTopics.isSubscribed) : []
    this.#publish(topic, hint, own)
  }

  #publish(topic: string, { roomId, userId, threadRootEventId }: TypingHint, excluded: readonly Subscriber[]): void {
    const value = { roomId, ...(threadRootEventId && { threadRootEventId }) }
    const event = { id: newId('event'), createdAt: new Date(), actorId: userId, value }
    for (const connection of excluded) connection.unsubscribe(topic)
    this.#options.publish(topic, frameWithoutPosition(encodeRealtimeEnvelope('user_typing', event)))
    for (const connection of excluded) connection.subscribe(topic)
  }
}
