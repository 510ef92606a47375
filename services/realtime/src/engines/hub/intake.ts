import type { Event } from '@parley/contracts/internal'

/** `storedAtMs`: since 1970. */
export type StreamEntry = { seq: number; storedAtMs: number }
type Deliver = (events: readonly Event[], stored: StreamEntry) => void
type Batch = { events: readonly Event[]; stored: StreamEntry }

/**
 * Delivers the events of a few milliseconds in one tick, so that uWebSockets.js writes once per socket. After a pause,
 * events are delivered in the next turn of the event loop.
 */
export class Intake implements Disposable {
  readonly #deliver: Deliver
  readonly #gatherMs: number
  #batches: Batch[] = []
  /** Calls clearImmediate or clearTimeout, as the flush was scheduled: mixing them up corrupts a counter in Node.js. */
  #cancelFlush: (() => void) | undefined
  #lastFlush = 0

  constructor(deliver: Deliver, gatherMs = 3) {
    this.#deliver = deliver
    this.#gatherMs = gatherMs
  }

  add(events: readonly Event[], stored: StreamEntry): void {
    this.#batches.push({ events, stored })
    if (this.#cancelFlush) return
    const since = performance.now() - this.#lastFlush
    if (since >= this.#gatherMs) {
      const immediate = setImmediate(() => this.flush())
      this.#cancelFlush = () => clearImmediate(immediate)
    } else {
      const timeout = setTimeout(() => this.flush(), this.#gatherMs - since)
      this.#cancelFlush = () => clearTimeout(timeout)
    }
  }

  flush(): void {
    this.#stopTimer()
    this.#lastFlush = performance.now()
    const batches = this.#batches
    this.#batches = []
    for (const { events, stored } of batches) this.#deliver(events, stored)
  }

  [Symbol.dispose](): void {
    this.#stopTimer()
    this.#batches = []
  }

  #stopTimer(): void {
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
  }
}
