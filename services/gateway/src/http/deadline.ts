import { badTimeout } from '../errors.ts'

/** The time a call may take: what the client asks for, at most `limitMs`. Throws `invalid_argument` for anything but digits. */
export function timeoutFrom(header: string | undefined, limitMs: number): number {
  if (header === undefined) return limitMs
  if (!/^\d{1,10}$/.test(header)) throw badTimeout(header)
  return Math.min(Number(header), limitMs)
}
