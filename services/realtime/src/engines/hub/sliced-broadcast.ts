import { topics } from './topics.ts'

type Options = {
  /** Sends one frame to every socket that is subscribed to a topic. */
  publish: (topic: string, frame: Uint8Array) => void
  /** Number of sockets on this node. */
  countSockets: () => number
}
/** A frame, and how many slices have yet to receive it. */
type Waiting = { frame: Uint8Array; left: number }

/** With more sockets than this, frames are sent in slices. */
const maxAtOnce = 1_000
const socketsPerSecond = 1_000
/** Maximum time until the last slice has received a frame, however many sockets there are, in milliseconds. */
export const maxBroadcastMs = 20_000
/** Number of slices; every socket belongs to one. */
export const slices = 64
/** Maximum number of waiting frames, which bounds the memory. Further frames are sent to all sockets at once. */
const maxWaiting = 10_000

/**
 * Sends frames to all sockets. Many sockets receive them in slices, about a thousand sockets a second, because most of
 * these frames make clients load something from the server. Of several frames with the same key, a slice receives only
 * the newest.
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
   * Sends a frame, which replaces earlier ones with the same key: `atOnce` to all sockets now, or the frame that `late`
   * builds to one slice after another.
   */
  send(key: string, atOnce: Uint8Array, late: () => Uint8Array): void {
    this.#waiting.delete(key)
    const { publish, countSockets } = this.#options
    if (countSockets() <= maxAtOnce || this.#waiting.size >= maxWaiting) return publish(topics.everyone, atOnce)
    this.#waiting.set(key, { frame: late(), left: slices })
    this.#arm()
  }

  /** Replaces the waiting frame of a key for the slices that have yet to receive it. */
  replace(key: string, late: () => Uint8Array): void {
    const waiting = this.#waiting.get(key)
    if (waiting) waiting.frame = late()
  }

  /** Drops the frame of a key; some sockets may have received it. */
  forget(key: string): void {
    this.#waiting.delete(key)
  }

  /** Drops all frames; some sockets may have received them. */
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
