/** Pauses double from the first to the longest. */
export type Backoff = { initialMs: number; maxMs: number }

/**
 * The pause after this many failures, in whole milliseconds. Up to half of it is random, so that callers that failed
 * together do not retry together.
 */
export function backoffMs({ initialMs, maxMs }: Backoff, failures: number): number {
  return Math.ceil(Math.min(initialMs * 2 ** (failures - 1), maxMs) * (1 - Math.random() / 2))
}
