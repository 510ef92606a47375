import type { Report } from './finding.ts'

const noticeableMs = 1_000
/** From this difference on, valid codes, tokens and signatures are refused. */
const harmfulMs = 30_000

/** A server's time in milliseconds since 1970, with the times of request and answer on this machine's clock. */
export type ClockReading = { serverMs: number; requestedMs: number; answeredMs: number }

/**
 * Reports how far the clock of a server differs from that of this machine. `server` is its name, such as `PostgreSQL`.
 */
export function reportClock(report: Report, check: string, server: string, reading: ClockReading): void {
  const { serverMs, requestedMs, answeredMs } = reading
  const aheadMs = serverMs < requestedMs ? serverMs - requestedMs : Math.max(0, serverMs - answeredMs)
  const apart = Math.abs(aheadMs)
  const found = `the clock of ${server} is ${(apart / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine's`
  const next = `Synchronise the clocks of both machines (NTP); at ${apart < harmfulMs ? 'a difference of 30 s or more' : 'this difference'}, valid codes and signatures are refused.`
  if (apart < noticeableMs) report.ok(check, `the clock of ${server} agrees with this machine's`)
  else if (apart < harmfulMs) report.warn(check, found, next)
  else report.fail(check, found, next)
}
