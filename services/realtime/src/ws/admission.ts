/**
 * Limits hellos per second, so that admitted sockets are served even when everybody reconnects at once. The others are
 * told to retry at random times, spread over twice the time that this node needs for them, but at most half a minute.
 */
export class Admission {
  readonly #perSecond: number
  #tokens: number
  #refused = 0
  #filledAt: number

  /** `perSecond` 0 admits everybody; `now` is a monotonic time in milliseconds. */
  constructor(perSecond: number, now: number) {
    this.#perSecond = perSecond
    this.#tokens = burstSeconds * perSecond
    this.#filledAt = now
  }

  /** Undefined: admitted; otherwise the milliseconds after which the socket may return. */
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
    return Math.round(minDelayMs + Math.random() * Math.min(maxSpreadMs, minDelayMs + 2 * backlogMs))
  }
}

/** A burst may have as many sockets as these seconds admit. */
const burstSeconds = 2
const minDelayMs = 1_000
const maxSpreadMs = 30_000
