import { deployableNames, factsOf } from '@parley/contracts/deployables'

/** Every deployable that stores data of accounts. */
export const erasers = deployableNames.filter((name) => factsOf(name).consumes?.includes('erasures'))

/** A deletion in progress: the requested pass, the time of the request, and the reports by service. */
export type Progress = { pass: number; askedAt: Date; found: ReadonlyMap<string, bigint> }
/** Next step of a deletion. `request`: the pass to request. */
export type NextStep = 'wait' | 'complete' | { request: number }

/** After this time without an answer a service may have lost the request. */
const repeatAfterMs = 600_000
const maxPauseMs = 3600_000

/** From the sixth pass on the pause doubles each time: some service repeatedly fails to erase data. */
const pauseMs = (pass: number, passAfterMs: number): number =>
  Math.min(passAfterMs * 2 ** Math.max(pass - 5, 0), Math.max(maxPauseMs, passAfterMs))

/**
 * A deletion is complete when a pass after the first one found nothing anywhere: data written during the first pass is
 * found by the next.
 */
export function nextStep({ pass, askedAt, found }: Progress, now: Date, passAfterMs: number): NextStep {
  const sinceMs = now.getTime() - askedAt.getTime()
  if (!erasers.every((service) => found.has(service))) return sinceMs >= repeatAfterMs ? { request: pass } : 'wait'
  if (pass > 1 && erasers.every((service) => found.get(service) === 0n)) return 'complete'
  return sinceMs >= pauseMs(pass, passAfterMs) ? { request: pass + 1 } : 'wait'
}
