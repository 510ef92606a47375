import type { Msg } from 'nats'
import { BatchDelay } from '../batch-delay.ts'

/** The maximum total size of a batch of several messages, and the pause after each batch. */
export type Pace = { maxAtOnce: number; pauseMs: number }

export type QueuedMessage<T> = { decoded: T; size: number; isUrgent: boolean; shard: number }

type Handle<T> = (decoded: T[]) => Promise<void>

/**
 * Holds pulled messages until they are handled. Shards run concurrently; each handles one batch after the other. A
 * message that finds its shard idle is handled at once; others wait for the next batch. An urgent message or a full
 * batch ends the pause between batches.
 */
export class BatchQueue<T> {
  readonly #pace: Pace
  readonly #decode: (message: Msg) => QueuedMessage<T>
  readonly #handle: Handle<T>
  readonly #shards = new Map<number, ShardQueue<T>>()
  #size = 0
  #waiting: { below: number; resolve: () => void }[] = []

  /** `decode` must not throw, `handle` must not reject. */
  constructor(pace: Pace, callbacks: { decode: (message: Msg) => QueuedMessage<T>; handle: Handle<T> }) {
    this.#pace = pace
    this.#decode = callbacks.decode
    this.#handle = async (decoded) => {
      await callbacks.handle(decoded)
      this.#finish(decoded.length)
    }
  }

  get size(): number {
    return this.#size
  }

  add(message: Msg): void {
    const queued = this.#decode(message)
    this.#size++
    let queue = this.#shards.get(queued.shard)
    if (queue === undefined) this.#shards.set(queued.shard, (queue = new ShardQueue(this.#pace, this.#handle)))
    queue.add(queued)
  }

  async waitUntilBelow(count: number): Promise<void> {
    if (this.#size < count) return
    await new Promise<void>((resolve) => this.#waiting.push({ below: count, resolve }))
  }

  #finish(count: number): void {
    this.#size -= count
    const ready = this.#waiting.filter((waiter) => this.#size < waiter.below)
    this.#waiting = this.#waiting.filter((waiter) => this.#size >= waiter.below)
    for (const waiter of ready) waiter.resolve()
  }
}

class ShardQueue<T> {
  readonly #maxAtOnce: number
  readonly #handle: Handle<T>
  readonly #delay: BatchDelay | undefined
  #waiting: QueuedMessage<T>[] = []
  #running: Promise<void> | undefined

  constructor({ maxAtOnce, pauseMs }: Pace, handle: Handle<T>) {
    this.#maxAtOnce = maxAtOnce
    this.#handle = handle
    this.#delay = pauseMs > 0 ? new BatchDelay(pauseMs, maxAtOnce) : undefined
  }

  add(queued: QueuedMessage<T>): void {
    this.#waiting.push(queued)
    this.#delay?.reportCount(this.#sizeOfWaiting())
    // In a microtask, so that the messages of one packet, which are added synchronously, stay together.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#handle(this.#take().map(({ decoded }) => decoded))
      await this.#delay?.wait(this.#sizeOfWaiting())
    }
    this.#running = undefined
  }

  #take(): QueuedMessage<T>[] {
    let sum = 0
    const end = this.#waiting.findIndex(({ size }, n) => (sum += size) > this.#maxAtOnce && n > 0)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  /** A waiting urgent message makes this the size of a full batch. */
  #sizeOfWaiting(): number {
    return this.#waiting.some(({ isUrgent }) => isUrgent)
      ? this.#maxAtOnce
      : this.#waiting.reduce((sum, { size }) => sum + size, 0)
  }
}
