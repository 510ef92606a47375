import type { Event } from '@parley/contracts/internal'

type Batch = { events: readonly Event[]; streamSequence: number }

/**
 * Gathers what the stream brings within a few milliseconds, so that it goes out in one tick: uWebSockets.js then writes
 * once per socket, not once per event. The first event after a pause goes at once.
 */
export class Intake implements Disposable {
  readonly #deliver: (events: readonly Event[], streamSequence: number) => void
  readonly #gatherMs: number
  #batches: Batch[] = []
  #flushing: NodeJS.Immediate | NodeJS.Timeout | undefined
  #lastFlush = 0

  constructor(deliver: (events: readonly Event[], streamSequence: number) => void, gatherMs = 3) {
    this.#deliver = deliver
    this.#gatherMs = gatherMs
  }

  add(events: readonly Event[], streamSequence: number): void {
    this.#batches.push({ events, streamSequence })
    if (this.#flushing) return
    const since = performance.now() - this.#lastFlush
    this.#flushing =
      since >= this.#gatherMs
        ? setImmediate(() => this.flush())
        : setTimeout(() => this.flush(), this.#gatherMs - since)
  }

  /** Delivers everything gathered, in order. */
  flush(): void {
    this.#stopTimer()
    this.#lastFlush = performance.now()
    const batches = this.#batches
    this.#batches = []
    for (const { events, streamSequence } of batches) this.#deliver(events, streamSequence)
  }

  [Symbol.dispose](): void {
    this.#stopTimer()
    this.#batches = []
  }

  #stopTimer(): void {
    if (!this.#flushing) return
    clearImmediate(this.#flushing as NodeJS.Immediate)
    clearTimeout(this.#flushing as NodeJS.Timeout)
    this.#flushing = undefined
  }
}
