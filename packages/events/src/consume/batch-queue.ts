import type { Msg } from 'nats'
import { BatchDelay } from '../batch-delay.ts'
import { InFlightCount, type InFlight } from './in-flight.ts'

/** How many events are handled at once, at most, and how long the pause after them is. */
export type Pace = { mostAtOnce: number; pauseMs: number }

/** What is made of a message: how many events it counts for, and whether somebody waits for one of them. */
export type Opening<T> = { opened: T; size: number; isUrgent: boolean }

/**
 * Runs work on many messages at a time, and one time after the other. A message that finds nothing going on is not kept
 * waiting; what comes in the pause after it gathers, and is handled together. One that is urgent ends the pause.
 */
export class BatchQueue<T> implements InFlight {
  readonly #mostAtOnce: number
  readonly #open: (message: Msg) => Opening<T>
  /** Must not reject. */
  readonly #work: (opened: T[]) => Promise<void>
  readonly #load = new InFlightCount()
  readonly #delay: BatchDelay
  #waiting: Opening<T>[] = []
  #running: Promise<void> | undefined

  constructor(
    { mostAtOnce, pauseMs }: Pace,
    of: { open: (message: Msg) => Opening<T>; work: (opened: T[]) => Promise<void> },
  ) {
    this.#mostAtOnce = mostAtOnce
    this.#open = of.open
    this.#work = of.work
    this.#delay = new BatchDelay(pauseMs, mostAtOnce)
  }

  get size(): number {
    return this.#load.size
  }

  add(message: Msg): void {
    const opening = this.#open(message)
    this.#load.more()
    this.#waiting.push(opening)
    this.#delay.grown(this.#gathered())
    // After this turn, so that what came in one packet stays together.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#take()
      await this.#work(taken.map(({ opened }) => opened))
      this.#load.less(taken.length)
      await this.#delay.wait(this.#gathered())
    }
    this.#running = undefined
  }

  /** The first, and those after it as long as all together are not too many. */
  #take(): Opening<T>[] {
    let sum = 0
    const end = this.#waiting.findIndex(({ size }, n) => (sum += size) > this.#mostAtOnce && n > 0)
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  #gathered(): number {
    return this.#waiting.some(({ isUrgent }) => isUrgent)
      ? this.#mostAtOnce
      : this.#waiting.reduce((sum, { size }) => sum + size, 0)
  }
}
