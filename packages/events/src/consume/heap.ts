import type { Msg } from 'nats'
import { Gathering } from '../gathering.ts'
import { Load, type Hands } from './hands.ts'

/** How many messages are handled at once, at most, and how long the pause after them is. */
export type Pace = { mostAtOnce: number; pauseMs: number }

/**
 * Runs work on many messages at a time, and one time after the other. A message that finds nothing going on is not kept
 * waiting; what comes in the pause after it gathers, and is handled together. One that is urgent ends the pause.
 */
export class Heap<T> implements Hands {
  readonly #mostAtOnce: number
  readonly #open: (message: Msg) => T
  readonly #isUrgent: (opened: T) => boolean
  /** Must not reject. */
  readonly #work: (opened: T[]) => Promise<void>
  readonly #load = new Load()
  readonly #gathering: Gathering
  #waiting: T[] = []
  #urgent = false
  #running: Promise<void> | undefined

  constructor(
    { mostAtOnce, pauseMs }: Pace,
    of: { open: (message: Msg) => T; isUrgent: (opened: T) => boolean; work: (opened: T[]) => Promise<void> },
  ) {
    this.#mostAtOnce = mostAtOnce
    this.#open = of.open
    this.#isUrgent = of.isUrgent
    this.#work = of.work
    this.#gathering = new Gathering(pauseMs, mostAtOnce)
  }

  get size(): number {
    return this.#load.size
  }

  add(message: Msg): void {
    const opened = this.#open(message)
    this.#load.more()
    this.#waiting.push(opened)
    this.#urgent ||= this.#isUrgent(opened)
    this.#gathering.grown(this.#gathered())
    // After this turn, so that what came in one packet stays together.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const opened = this.#waiting.splice(0, this.#mostAtOnce)
      this.#urgent = false
      await this.#work(opened)
      this.#load.less(opened.length)
      await this.#gathering.wait(this.#gathered())
    }
    this.#running = undefined
  }

  #gathered(): number {
    return this.#urgent ? this.#mostAtOnce : this.#waiting.length
  }
}
