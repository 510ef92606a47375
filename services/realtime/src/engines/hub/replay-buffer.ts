import type { ReplayRefusal } from '../../domain/replay-refusal.ts'
import { maxBroadcastMs } from './sliced-broadcast.ts'
import { TopicLog } from './topic-log.ts'

export type ReplayEvent = {
  position: string
  storedAtMs: number
  frames: readonly ReplayFrame[]
}

export type ReplayFrame = {
  bytes: Uint8Array
  topics: readonly string[]
  /** Only the newest frame with this key is kept. It is sent to everyone, up to `longestDelayMs` late. */
  throttleKey?: ThrottleKey
}

export type ThrottleKey = { subject: string; property: string }
/** The property that a deletion of an account changes. It is kept when the other properties of a user are forgotten. */
export const deletionProperty = 'account'

export type Replay = { frames: readonly Uint8Array[] } | { refusal: ReplayRefusal }

type Options = {
  /**
   * Positions up to this age, in milliseconds before the newest event, are known unless a limit is exceeded. Events are
   * kept longer.
   */
  windowMs: number
  /** Limit for the estimated size. The newest frame of each key is kept even beyond it. */
  maxBytes: number
  maxReplayBytes: number
}

type StoredEvent = { ordinal: number; storedAtMs: number; bytes: number; frames: readonly ReplayFrame[] }
/** `ordinal`: of the event; `frameNumber` counts all frames. */
type Item = { ordinal: number; frameNumber: number; storedAtMs: number; frame: ReplayFrame }

/** How late a frame with a key may be sent, including the lag of one node behind another. */
export const longestDelayMs = maxBroadcastMs + 5_000
const bytesPerEvent = 512
const bytesPerTopic = 256
/** `maxBytes` does not limit frames with a key, so their number is limited. */
const maxKeyedFrames = 10_000

/**
 * The events of the last minutes, by topic, so that the cost of a replay depends on what it sends and not on what was
 * published.
 */
export class ReplayBuffer {
  readonly #options: Options
  #ordinal = 0
  #frameCount = 0
  #bytes = 0
  #completeSinceMs: number | undefined
  #newestDroppedUntilMs = -Infinity
  readonly #events = new Map<string, StoredEvent>()
  readonly #topics = new Map<string, TopicLog<Item>>()
  readonly #newest = new Map<string, Item>()
  /** By person: ordinal of the newest event that may have changed their access; oldest first. */
  readonly #accessChanges = new Map<string, number>()
  #everyonesAccessChange = 0

  constructor(options: Options) {
    this.#options = options
  }

  /** Everything stored since `timeMs`, in milliseconds since 1970, has been added. */
  setCompleteSince(timeMs: number): void {
    this.#completeSinceMs = timeMs
  }

  add({ position, storedAtMs, frames }: ReplayEvent): void {
    const ordinal = ++this.#ordinal
    this.#completeSinceMs ??= storedAtMs
    let bytes = bytesPerEvent
    for (const frame of frames) {
      bytes += frame.bytes.length + frame.topics.length * bytesPerTopic
      this.#addFrame({ ordinal, frameNumber: ++this.#frameCount, storedAtMs, frame })
    }
    this.#bytes += bytes
    this.#events.set(position, { ordinal, storedAtMs, bytes, frames })
    this.#evict(storedAtMs)
  }

  recordAccessChange(userId: string): void {
    this.#accessChanges.delete(userId)
    this.#accessChanges.set(userId, this.#ordinal + 1)
  }

  recordEveryonesAccessChange(): void {
    this.#everyonesAccessChange = this.#ordinal + 1
  }

  forget(userId: string): void {
    for (const [key, { frame }] of this.#newest)
      if (frame.throttleKey?.subject === userId && frame.throttleKey.property !== deletionProperty)
        this.#newest.delete(key)
  }

  /**
   * Returns, in stream order, the missed frames of these topics and the newest frame of each key, even if this is from
   * before the position.
   */
  replaySince(position: string, userId: string, topics: Iterable<string>): Replay {
    const from = this.#events.get(position)
    if (!from || !this.#isComplete(from.storedAtMs - longestDelayMs)) return { refusal: 'unknown_position' }
    const changed = Math.max(this.#everyonesAccessChange, this.#accessChanges.get(userId) ?? 0)
    if (changed > from.ordinal) return { refusal: 'access_changed' }
    const frames = this.#framesAfter(from, topics)
    return frames ? { frames } : { refusal: 'too_much' }
  }

  /** Events may have been missed, so all earlier positions become invalid. */
  clear(): void {
    this.#events.clear()
    this.#topics.clear()
    this.#newest.clear()
    this.#accessChanges.clear()
    this.#bytes = 0
    this.#completeSinceMs = undefined
    this.#newestDroppedUntilMs = -Infinity
  }

  /** Whether no keyed frame since then is missing. */
  #isComplete(sinceMs: number): boolean {
    return sinceMs >= (this.#completeSinceMs ?? Infinity) && sinceMs > this.#newestDroppedUntilMs
  }

  #framesAfter(from: StoredEvent, topics: Iterable<string>): Uint8Array[] | undefined {
    const first = from.frames.length > 1 ? from.ordinal : from.ordinal + 1
    const items: Item[] = []
    let bytes = 0
    const exceedsLimitWith = (more: Iterable<Item>): boolean => {
      for (const item of more) {
        items.push(item)
        bytes += item.frame.bytes.length
      }
      return bytes > this.#options.maxReplayBytes
    }
    // These frames are sent even from before the position: another node may have been about to send them late. Clients
    // drop duplicates.
    if (exceedsLimitWith(this.#newest.values())) return undefined
    for (const topic of topics)
      if (exceedsLimitWith(this.#topics.get(topic)?.itemsFrom(({ ordinal }) => ordinal >= first) ?? []))
        return undefined
    items.sort((a, b) => a.frameNumber - b.frameNumber)
    return items.filter((item, i) => !isRepeated(item, items[i - 1])).map(({ frame }) => frame.bytes)
  }

  #addFrame(item: Item): void {
    const { throttleKey, topics } = item.frame
    if (throttleKey) {
      const key = keyOf(throttleKey)
      this.#newest.delete(key)
      return void this.#newest.set(key, item)
    }
    for (const topic of topics) {
      const log = this.#topics.get(topic) ?? new TopicLog<Item>()
      this.#topics.set(topic, log)
      log.push(item)
    }
  }

  #evict(newestMs: number): void {
    const oldestMs = newestMs - this.#options.windowMs - longestDelayMs
    for (const [key, { storedAtMs }] of this.#newest) {
      if (storedAtMs >= oldestMs && this.#newest.size <= maxKeyedFrames) break
      this.#newest.delete(key)
      this.#newestDroppedUntilMs = storedAtMs
    }
    for (const [position, kept] of this.#events) {
      if (kept.ordinal === this.#ordinal) return
      if (kept.storedAtMs >= oldestMs && this.#bytes <= this.#options.maxBytes) return
      this.#events.delete(position)
      this.#drop(kept)
    }
  }

  #drop({ ordinal, bytes, frames }: StoredEvent): void {
    this.#bytes -= bytes
    for (const frame of frames) this.#dropFrame(frame)
    for (const [userId, changed] of this.#accessChanges) {
      if (changed > ordinal) return
      this.#accessChanges.delete(userId)
    }
  }

  #dropFrame({ throttleKey, topics }: ReplayFrame): void {
    if (throttleKey) return
    for (const topic of topics) {
      const log = this.#topics.get(topic)
      log?.shift()
      if (log?.isEmpty) this.#topics.delete(topic)
    }
  }
}

export const keyOf = ({ subject, property }: ThrottleKey): string => `${subject} ${property}`

const isRepeated = (item: Item, previous: Item | undefined): boolean =>
  item.ordinal === previous?.ordinal && Buffer.compare(item.frame.bytes, previous.frame.bytes) === 0
