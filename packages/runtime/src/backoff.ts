/** Pauses between tries: doubling from the first to the longest. */
export type Backoff = { firstMs: number; longestMs: number }

/** The pause after so many failures in a row; up to half of it is left to chance, which keeps what failed together apart. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs) * (1 - Math.random() / 2)
}
