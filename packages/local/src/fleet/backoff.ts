/** After this much time without a crash a process counts as healthy again. */
const healthyAfterMs = 30_000
const firstMs = 250
const longestMs = 15_000

/** How long to wait before a crashed process is started again: longer each time, unless it lived well in between. */
export class Backoff {
  #crashes = 0

  /** Delay after a crash of a process that lived for `livedMs`. */
  next(livedMs: number): number {
    if (livedMs >= healthyAfterMs) this.#crashes = 0
    return Math.min(firstMs * 2 ** this.#crashes++, longestMs)
  }
}
