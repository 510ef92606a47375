/** Interval between beats, and the minimum length of a pause that can end on one. */
export const beatMs = 2_500
/** Tolerance for timers that fire early. */
const earlyMs = 50
/** Offset of this process's beat, so that the processes of a machine do not all wake together. */
const firstBeat = (process.pid * 611) % beatMs

/**
 * The time (as of `performance.now()`) at which a pause of at most this many milliseconds should end: on a beat shared
 * by the process, together with other pauses of the same length. Work that need not be punctual then wakes the process
 * once instead of many times; waking up is most of the cost of an idle process.
 */
export function nextBeatWithin(pauseMs: number): number {
  const now = performance.now()
  const stepMs = Math.max(1, Math.floor(pauseMs / beatMs)) * beatMs
  const at = firstBeat + Math.floor((now + pauseMs - firstBeat) / stepMs) * stepMs
  return at - now < earlyMs ? at + stepMs : at
}
