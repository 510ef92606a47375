/** After this much time without a crash a process counts as healthy again. */
const healthyAfterMs = 30_000
const initialMs = 250
const maxMs = 15_000

/**
 * Delay before a crashed process is restarted. It grows with each crash, unless the process ran long enough in between.
 */
export class Backoff {
  #crashes = 0

  /** Delay after a crash of a process that lived for `livedMs`. */
  next(livedMs: number): number {
    if (livedMs >= healthyAfterMs) this.#crashes = 0
    return Math.min(initialMs * 2 ** this.#crashes++, maxMs)
  }
}
