import type { IncomingHttpHeaders } from 'node:http'
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

/** The longest delay of a timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1
const unitsMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1_000 }

/**
 * Shortens the time limit in the headers of a call to the longest delay of a timer. The protocol library refuses a call
 * with a longer limit, but first starts a timer, about which Node.js prints a warning that is not in the log's format.
 */
export function shortenTimeout(headers: IncomingHttpHeaders): void {
  const [, count, unit] = /^(\d{1,8})([HMS])$/.exec(String(headers['grpc-timeout'])) ?? []
  if (Number(count) * (unitsMs[unit ?? ''] ?? 0) > maxTimerMs)
    headers['grpc-timeout'] = `${Math.floor(maxTimerMs / 1_000)}S`
  const ms = String(headers['connect-timeout-ms'])
  if (/^\d{10}$/.test(ms) && Number(ms) > maxTimerMs) headers['connect-timeout-ms'] = String(maxTimerMs)
}
