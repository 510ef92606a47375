/** Pauses between tries: doubling from the first to the longest. */
export type Backoff = { firstMs: number; longestMs: number }

/**
 * The pause after so many failures in a row, in whole milliseconds. Up to half of it is left to chance, which keeps apart what
 * failed together.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.ceil(Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 - Math.random() / 2))
}
