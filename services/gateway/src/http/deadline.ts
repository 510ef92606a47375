import { Code } from '@connectrpc/connect'
import { badTimeout } from '../errors.ts'

/** In milliseconds. Throws `invalid_argument` for anything but 1 to 10 digits. */
export function parseTimeout(header: string | undefined, limitMs: number): number {
  if (header === undefined) return limitMs
  if (!/^\d{1,10}$/.test(header)) throw badTimeout(header)
  return Math.min(Number(header), limitMs)
}

export const missedClientDeadline = (code: Code, clientMs: number | undefined, limitMs: number): boolean =>
  code === Code.DeadlineExceeded && clientMs !== undefined && clientMs < limitMs
