import type { Msg } from 'nats'
import { BatchDelay } from '../batch-delay.ts'

/** Most events handled at once, and the pause after handling them. */
export type Pace = { maxAtOnce: number; pauseMs: number }

/** A decoded message, the number of its events, whether one of them is urgent, and its shard. */
export type Opening<T> = { opened: T; size: number; isUrgent: boolean; shard: number }

type Work<T> = (opened: T[]) => Promise<void>

/**
 * Holds pulled messages until they are handled. Shards run concurrently; each handles one batch after the other, as
 * large as the pace allows. A message that finds its shard idle is handled at once; those that arrive in the pause
 * afterwards form the next batch. An urgent message ends the pause.
 */
export class BatchQueue<T> {
  readonly #pace: Pace
  readonly #open: (message: Msg) => Opening<T>
  readonly #work: Work<T>
  readonly #shards = new Map<number, ShardQueue<T>>()
  #size = 0
  #waiting: { below: number; resolve: () => void }[] = []

  /** `work` must not reject. */
  constructor(pace: Pace, of: { open: (message: Msg) => Opening<T>; work: Work<T> }) {
    this.#pace = pace
    this.#open = of.open
    this.#work = async (opened) => {
      await of.work(opened)
      this.#less(opened.length)
    }
  }

  /** Number of in-flight messages. */
  get size(): number {
    return this.#size
  }

  add(message: Msg): void {
    const opening = this.#open(message)
    this.#size++
    let queue = this.#shards.get(opening.shard)
    if (queue === undefined) this.#shards.set(opening.shard, (queue = new ShardQueue(this.#pace, this.#work)))
    queue.add(opening)
  }

  /** Resolves when fewer than this many messages are in flight. */
  async below(count: number): Promise<void> {
    if (this.#size < count) return
    await new Promise<void>((resolve) => this.#waiting.push({ below: count, resolve }))
  }

  #less(count: number): void {
    this.#size -= count
    const ready = this.#waiting.filter((waiter) => this.#size < waiter.below)
    this.#waiting = this.#waiting.filter((waiter) => this.#size >= waiter.below)
    for (const waiter of ready) waiter.resolve()
  }
}

class ShardQueue<T> {
  readonly #maxAtOnce: number
  readonly #work: Work<T>
  readonly #delay: BatchDelay | undefined
  #waiting: Opening<T>[] = []
  #running: Promise<void> | undefined

  constructor({ maxAtOnce, pauseMs }: Pace, work: Work<T>) {
    this.#maxAtOnce = maxAtOnce
    this.#work = work
    this.#delay = pauseMs > 0 ? new BatchDelay(pauseMs, maxAtOnce) : undefined
  }

  add(opening: Opening<T>): void {
    this.#waiting.push(opening)
    this.#delay?.grown(this.#gathered())
    // In the next turn of the event loop, so that the messages of one packet stay together.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#work(this.#take().map(({ opened }) => opened))
      await this.#delay?.wait(this.#gathered())
    }
    this.#running = undefined
  }

  /** Takes the first message, and following ones while the total stays within the limit. */
  #take(): Opening<T>[] {
    let sum = 0
    const end = this.#waiting.findIndex(({ size }, n) => (sum += size) > this.#maxAtOnce && n > 0)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  #gathered(): number {
    return this.#waiting.some(({ isUrgent }) => isUrgent)
      ? this.#maxAtOnce
      : this.#waiting.reduce((sum, { size }) => sum + size, 0)
  }
}
