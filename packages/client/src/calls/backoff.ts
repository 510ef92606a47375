/** Delays between attempts. */
export type Backoff = { firstMs: number; longestMs: number }

/**
 * Milliseconds to wait after `failures` failed attempts (1 or more): doubled each time, with a random jitter of up to
 * half, so that many clients do not retry at once.
 */
export function backoffMs(
  { firstMs, longestMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs)
  return Math.round(whole * (0.5 + random() / 2))
}
