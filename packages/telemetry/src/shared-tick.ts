/** Interval of the ticks, and the minimum length of a pause that can end on one. */
export const sharedTickMs = 2_500
/** A pause is never shorter than this; so that it ends on a tick, it may be this much longer than requested. */
const earlyMs = 50
/** Offset of this process's clock, so that the processes of a machine do not all wake together. */
const firstTickMs = (process.pid * 611) % sharedTickMs

/**
 * The time (as of `performance.now()`) at which a pause of up to `pauseMs` should end. This is a tick of a clock shared
 * by the whole process, so that pauses of the same length end together. Work that need not be punctual then wakes the
 * process once instead of many times; waking up is most of the cost of an idle process.
 */
export function nextSharedTick(pauseMs: number): number {
  const now = performance.now()
  const stepMs = Math.max(1, Math.floor(pauseMs / sharedTickMs)) * sharedTickMs
  const at = firstTickMs + Math.floor((now + pauseMs - firstTickMs) / stepMs) * stepMs
  return at - now < earlyMs ? at + stepMs : at
}
