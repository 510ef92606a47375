import type { Event } from '@parley/contracts/internal'

/** The position of a message on the stream, and when it was stored, in milliseconds since 1970. */
export type Stored = { seq: number; storedAtMs: number }
type Deliver = (events: readonly Event[], stored: Stored) => void
type Batch = { events: readonly Event[]; stored: Stored }

/**
 * Collects the events of a few milliseconds and publishes them in one tick, so that uWebSockets.js writes once per
 * socket and not once per event. The first event after a pause is published at once.
 */
export class Intake implements Disposable {
  readonly #deliver: Deliver
  readonly #gatherMs: number
  #batches: Batch[] = []
  /**
   * Cancels the scheduled flush. The right function must clear it: clearing a timeout as an immediate corrupts a
   * counter in Node.js.
   */
  #cancelFlush: (() => void) | undefined
  #lastFlush = 0

  constructor(deliver: Deliver, gatherMs = 3) {
    this.#deliver = deliver
    this.#gatherMs = gatherMs
  }

  add(events: readonly Event[], stored: Stored): void {
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

  /** Delivers everything collected, in order. */
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
