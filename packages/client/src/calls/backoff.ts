export type Backoff = { initialMs: number; maxMs: number }

/**
 * Milliseconds to wait after `failures` failed attempts (1 or more): `initialMs`, doubled with each further failure up
 * to `maxMs`. A random part of up to half is subtracted, so that many clients do not retry at once.
 */
export function backoffMs({ initialMs, maxMs }: Backoff, failures: number, random: () => number = Math.random): number {
  const whole = Math.min(initialMs * 2 ** Math.min(failures - 1, 30), maxMs)
  return Math.round(whole * (0.5 + random() / 2))
}
