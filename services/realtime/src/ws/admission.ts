/**
 * Limits the hellos per second, so that admitted sockets are served even when everybody reconnects at once. The others
 * are told to retry at random times, spread over twice the time that this node needs to serve them.
 */
export class Admission {
  readonly #perSecond: number
  #tokens: number
  /** Sockets that were refused and may not have returned yet. */
  #refused = 0
  #filledAt: number

  /** `perSecond` 0 admits everybody; `now` is a monotonic time in milliseconds. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#tokens = burstSeconds * perSecond
    this.#filledAt = now
  }

  /** Admits a socket; otherwise returns the number of milliseconds after which it may return. */
  admitOrDelay(now: number): number | undefined {
    if (this.#perSecond === 0) return undefined
    const refilled = ((now - this.#filledAt) / 1000) * this.#perSecond
    this.#filledAt = now
    this.#tokens = Math.min(burstSeconds * this.#perSecond, this.#tokens + refilled)
    this.#refused = Math.max(0, this.#refused - refilled)
    if (this.#tokens >= 1) {
      this.#tokens--
      return undefined
    }
    this.#refused++
    const backlogMs = (this.#refused / this.#perSecond) * 1000
    return Math.round(leastMs + Math.random() * Math.min(longestMs, leastMs + 2 * backlogMs))
  }
}

/** Size of a burst, in seconds of the rate. */
const burstSeconds = 2
const leastMs = 1_000
/** Limits how long a flood of hellos can delay others. */
const longestMs = 30_000
