/** After this much time without a crash a process counts as healthy again. */
const healthyAfterMs = 30_000
const initialDelayMs = 250
const maxDelayMs = 15_000

/** The delay grows with each crash, unless the process ran long enough in between. */
export class Backoff {
  #crashes = 0

  nextDelayMs(livedMs: number): number {
    if (livedMs >= healthyAfterMs) this.#crashes = 0
    return Math.min(initialDelayMs * 2 ** this.#crashes++, maxDelayMs)
  }
}
