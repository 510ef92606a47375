import { fromBinary } from '@bufbuild/protobuf'
import { TypingHintSchema, type TypingHint } from '@parley/contracts/internal'
import { realtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { hintFrame } from './frame.ts'
import { isBehind, type HintTopics } from './hint-topics.ts'
import type { Subscriber } from './subscriber.ts'
import { topics } from './topics.ts'
import type { UserAccess } from './user-access.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  /** How many sockets hold a topic. */
  subscribers: (topic: string) => number
  users: ReadonlyMap<string, UserAccess>
  hintTopics: HintTopics
  /** Applies what the stream brought and still waits. */
  catchUp: () => void
  unreadable: (error: unknown) => void
  /** Milliseconds of a clock that only goes on. */
  now?: () => number
}

/** Where more sockets of this node listen, who types is of no use and much work. */
const mostSockets = 500
const mostWaiting = 10_000
const heldMs = 100
/** A person is told of at so many places of a room, its threads, within a window, once each. Clients repeat less often. */
const [mostPlaces, windowMs] = [3, 2_000]

/**
 * Tells who types where: in a channel to its members, in a direct message to its participants, never to sockets of the one
 * who types, and of one person now and then only. A hint is held for a moment, in which repeats of it are one: it comes faster than the stream does, and who lost
 * access before it was sent must not hear it.
 */
export class TypingHints implements Disposable {
  readonly #options: Options
  readonly #waiting = new Map<string, TypingHint>()
  /** Places that were told of in the window under way, by room and person. */
  readonly #told = new Map<string, Set<string>>()
  #windowEndsAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  take(bytes: Uint8Array): void {
    if (this.#options.users.size === 0 || this.#waiting.size >= mostWaiting) return
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

  /** Tells what waits. */
  flush(): void {
    this[Symbol.dispose]()
    this.#options.catchUp()
    const hints = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const hint of hints) if (this.#isNew(hint)) this.#tell(hint)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #isNew({ roomId, userId, threadRootEventId }: TypingHint): boolean {
    const now = (this.#options.now ?? (() => performance.now()))()
    if (now >= this.#windowEndsAt) {
      this.#told.clear()
      this.#windowEndsAt = now + windowMs
    }
    const key = `${roomId} ${userId}`
    const places = this.#told.get(key) ?? new Set()
    if (places.size >= mostPlaces || places.has(threadRootEventId)) return false
    this.#told.set(key, places.add(threadRootEventId))
    return true
  }

  #tell(hint: TypingHint): void {
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
    if (listening === 0 || listening > mostSockets) return
    const typist = users.get(userId)
    const own = typist?.rooms.has(roomId) ? openOf(typist).filter(hintTopics.isGiven) : []
    this.#publish(topic, hint, own)
  }

  /** Sockets that should not hear it leave the topic meanwhile. */
  #publish(topic: string, { roomId, userId, threadRootEventId }: TypingHint, aside: readonly Subscriber[]): void {
    const value = { roomId, ...(threadRootEventId && { threadRootEventId }) }
    const event = { id: newId('event'), createdAt: new Date(), actorId: userId, value }
    for (const connection of aside) connection.unsubscribe(topic)
    this.#options.publish(topic, hintFrame(realtimeEnvelope('user_typing', event)))
    for (const connection of aside) connection.subscribe(topic)
  }
}

const openOf = (user: UserAccess): Subscriber[] => [...user.connections].filter(({ isOpen }) => isOpen)
