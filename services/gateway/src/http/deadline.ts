import { Code } from '@connectrpc/connect'
import { badTimeout } from '../errors.ts'

/**
 * The time limit of a call in milliseconds: the one that the client requests, at most `limitMs`. Throws
 * `invalid_argument` for anything but 1 to 10 digits.
 */
export function parseTimeout(header: string | undefined, limitMs: number): number {
  if (header === undefined) return limitMs
  if (!/^\d{1,10}$/.test(header)) throw badTimeout(header)
  return Math.min(Number(header), limitMs)
}

/** Whether a call failed because it exceeded a deadline of its client that was shorter than `limitMs`. */
export const missedClientDeadline = (code: Code, clientMs: number | undefined, limitMs: number): boolean =>
  code === Code.DeadlineExceeded && clientMs !== undefined && clientMs < limitMs
