export type Backoff = { initialMs: number; maxMs: number }

/**
 * Milliseconds after `failures` failed attempts (1 or more): doubled each time, with a jitter of up to half, so that
 * many clients do not retry at once.
 */
export function backoffMs({ initialMs, maxMs }: Backoff, failures: number, random: () => number = Math.random): number {
  const whole = Math.min(initialMs * 2 ** Math.min(failures - 1, 30), maxMs)
  return Math.round(whole * (0.5 + random() / 2))
}
