import { topics } from './topics.ts'

type Options = {
  publish: (topic: string, frame: Uint8Array) => void
  countSockets: () => number
}
type Waiting = { frame: Uint8Array; left: number }

/** With more sockets, frames are sent in slices. */
const maxSocketsAtOnce = 1_000
const socketsPerSecond = 1_000
/** Time in which a frame reaches every slice, however many sockets there are. */
export const maxBroadcastMs = 20_000
export const slices = 64
/** Bounds the memory. Further frames are sent to all sockets at once. */
const maxWaiting = 10_000

/**
 * Most frames for everyone make clients load something, so many sockets receive them in slices, about a thousand
 * sockets a second. Of several frames with the same key, a slice receives only the newest.
 */
export class SlicedBroadcast implements Disposable {
  readonly #options: Options
  readonly #waiting = new Map<string, Waiting>()
  #slice = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Replaces earlier frames with the same key. Sends `immediate` to all sockets now, or the frame that `late` builds to
   * one slice after another.
   */
  send(key: string, immediate: Uint8Array, late: () => Uint8Array): void {
    this.#waiting.delete(key)
    const { publish, countSockets } = this.#options
    if (countSockets() <= maxSocketsAtOnce || this.#waiting.size >= maxWaiting)
      return publish(topics.everyone, immediate)
    this.#waiting.set(key, { frame: late(), left: slices })
    this.#arm()
  }

  replace(key: string, late: () => Uint8Array): void {
    const waiting = this.#waiting.get(key)
    if (waiting) waiting.frame = late()
  }

  forget(key: string): void {
    this.#waiting.delete(key)
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  [Symbol.dispose](): void {
    this.clear()
  }

  #arm(): void {
    if (this.#waiting.size === 0) return
    const broadcastMs = Math.min(maxBroadcastMs, (1000 * this.#options.countSockets()) / socketsPerSecond)
    this.#timer ??= setTimeout(() => this.#sendToNextSlice(), broadcastMs / slices).unref()
  }

  #sendToNextSlice(): void {
    this.#timer = undefined
    const topic = topics.slice(this.#slice)
    this.#slice = (this.#slice + 1) % slices
    for (const [key, waiting] of this.#waiting) {
      this.#options.publish(topic, waiting.frame)
      if (--waiting.left === 0) this.#waiting.delete(key)
    }
    this.#arm()
  }
}
