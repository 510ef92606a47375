import type { Msg } from 'nats'
import { Gathering } from '../gathering.ts'
import { Load, type Hands } from './hands.ts'

const mostAtOnce = 128
/** How long the first message waits for others to be handled with. */
const gatherMs = 100

/** Runs work on the messages that came within a short while, many at a time and one time after the other. */
export class Heap implements Hands {
  /** Must not reject. */
  readonly #work: (messages: Msg[]) => Promise<void>
  readonly #load = new Load()
  readonly #gathering = new Gathering(gatherMs, mostAtOnce)
  #waiting: Msg[] = []
  #running: Promise<void> | undefined

  constructor(work: (messages: Msg[]) => Promise<void>) {
    this.#work = work
  }

  get size(): number {
    return this.#load.size
  }

  add(message: Msg): void {
    this.#load.more()
    this.#waiting.push(message)
    this.#running ??= this.#run()
    this.#gathering.grown(this.#waiting.length)
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gathering.wait(this.#waiting.length)
      const messages = this.#waiting.splice(0, mostAtOnce)
      await this.#work(messages)
      this.#load.less(messages.length)
    }
    this.#running = undefined
  }
}
