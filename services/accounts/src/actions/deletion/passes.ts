import { deployableNames, propertiesOf } from '@parley/contracts/deployables'

/** Every service that stores data about accounts, which it must erase. */
export const erasingServices = deployableNames.filter((name) => propertiesOf(name).consumes?.includes('erasures'))

/** A deletion in progress: the requested pass, the time of the request, and the reports by service. */
export type Progress = { pass: number; askedAt: Date; found: ReadonlyMap<string, bigint> }
/** The next step of a deletion. `request`: the number of the pass to request. */
export type NextStep = 'wait' | 'complete' | { request: number }

/** A request is repeated if a service has not reported for this long: it may have lost the request. */
const repeatAfterMs = 600_000
const maxPauseMs = 3600_000

/**
 * Time from the request of a pass to that of the next one. From the sixth pass on it doubles with each pass, because
 * some service repeatedly fails to erase its data.
 */
const pauseMs = (pass: number, firstPauseMs: number): number =>
  Math.min(firstPauseMs * 2 ** Math.max(pass - 5, 0), Math.max(maxPauseMs, firstPauseMs))

/**
 * A deletion is complete when a pass after the first finds nothing in any service. The first pass is never enough: data
 * written while it runs is found only by the second.
 */
export function nextStep({ pass, askedAt, found }: Progress, now: Date, firstPauseMs: number): NextStep {
  const sinceMs = now.getTime() - askedAt.getTime()
  if (!erasingServices.every((service) => found.has(service)))
    return sinceMs >= repeatAfterMs ? { request: pass } : 'wait'
  if (pass > 1 && erasingServices.every((service) => found.get(service) === 0n)) return 'complete'
  return sinceMs >= pauseMs(pass, firstPauseMs) ? { request: pass + 1 } : 'wait'
}
