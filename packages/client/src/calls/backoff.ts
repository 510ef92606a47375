/** How delays grow from one attempt to the next. */
export type Backoff = { firstMs: number; longestMs: number }

/**
 * Milliseconds to wait before the attempt after `failures` failed ones (1 or more): doubled each time, and between half
 * and all of that by chance, so that many clients do not come back at once.
 */
export function backoffMs(
  { firstMs, longestMs }: Backoff,
  failures: number,
  random: () => number = Math.random,
): number {
  const whole = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs)
  return Math.round(whole * (0.5 + random() / 2))
}
