/** Pauses between tries: doubling from the first to the longest. */
export type Backoff = { firstMs: number; longestMs: number }

/**
 * The pause in whole milliseconds after a number of consecutive failures. Up to half of it is random, so that callers
 * that failed together do not retry together.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.ceil(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 - Math.random() / 2))
}
