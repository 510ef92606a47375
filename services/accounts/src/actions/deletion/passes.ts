import { deployableNames, propertiesOf } from '@parley/contracts/deployables'

export const erasingServices = deployableNames.filter((name) => propertiesOf(name).consumes?.includes('erasures'))

/** `found`: what each service reported. */
export type Progress = { pass: number; askedAt: Date; found: ReadonlyMap<string, bigint> }
export type NextStep = 'wait' | 'complete' | { request: number }

/** The request is repeated after this, because a service may have lost it. */
const repeatAfterMs = 600_000
const maxPauseMs = 3600_000

/**
 * The pause from the request of a pass to the request of the next one. Doubles with each pass from the sixth on:
 * by then, some service repeatedly fails to erase its data.
 */
const pauseMs = (pass: number, firstPauseMs: number): number =>
  Math.min(firstPauseMs * 2 ** Math.max(pass - 5, 0), Math.max(maxPauseMs, firstPauseMs))

/** The first pass is never enough: data written while it runs is found only by the second. */
export function nextStep({ pass, askedAt, found }: Progress, now: Date, firstPauseMs: number): NextStep {
  const sinceMs = now.getTime() - askedAt.getTime()
  if (!erasingServices.every((service) => found.has(service)))
    return sinceMs >= repeatAfterMs ? { request: pass } : 'wait'
  if (pass > 1 && erasingServices.every((service) => found.get(service) === 0n)) return 'complete'
  return sinceMs >= pauseMs(pass, firstPauseMs) ? { request: pass + 1 } : 'wait'
}
