import type { Msg } from 'nats'
import { Load, type Hands } from './hands.ts'

const mostAtOnce = 128

/** Runs work on whatever messages came meanwhile, many at a time and one time after the other. */
export class Heap implements Hands {
  /** Must not reject. */
  readonly #work: (messages: Msg[]) => Promise<void>
  readonly #load = new Load()
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
  }

  below(count: number): Promise<void> {
    return this.#load.below(count)
  }

  async #run(): Promise<void> {
    // One turn of the event loop, so that messages that arrive together are handled together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const messages = this.#waiting.splice(0, mostAtOnce)
      await this.#work(messages)
      this.#load.less(messages.length)
    }
    this.#running = undefined
  }
}
