import type { Msg } from 'nats'
import { Gathering } from '../gathering.ts'
import { Load, type Hands } from './hands.ts'

/** How many messages are handled at once, at most, and how long the pause after them is. */
export type Pace = { mostAtOnce: number; pauseMs: number }

/**
 * Runs work on many messages at a time, and one time after the other. A message that finds nothing going on is not kept
 * waiting; what comes in the pause after it gathers, and is handled together.
 */
export class Heap implements Hands {
  /** Must not reject. */
  readonly #work: (messages: Msg[]) => Promise<void>
  readonly #load = new Load()
  readonly #mostAtOnce: number
  readonly #gathering: Gathering
  #waiting: Msg[] = []
  #running: Promise<void> | undefined

  constructor({ mostAtOnce, pauseMs }: Pace, work: (messages: Msg[]) => Promise<void>) {
    this.#mostAtOnce = mostAtOnce
    this.#gathering = new Gathering(pauseMs, mostAtOnce)
    this.#work = work
  }

  get size(): number {
    return this.#load.size
  }

  add(message: Msg): void {
    this.#load.more()
    this.#waiting.push(message)
    this.#gathering.grown(this.#waiting.length)
    // After this turn, so that what came in one packet stays together.
    this.#running ??= Promise.resolve().then(() => this.#run())
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const messages = this.#waiting.splice(0, this.#mostAtOnce)
      await this.#work(messages)
      this.#load.less(messages.length)
      await this.#gathering.wait(this.#waiting.length)
    }
    this.#running = undefined
  }
}
