/** Pauses from here on can be made to end on a beat. */
export const beatMs = 2_000
/** A timer may fire a moment early. */
const earlyMs = 50
/** Where the beats of this process lie, so that not all processes of a machine wake together. */
const firstBeat = (process.pid * 611) % beatMs

/**
 * When a pause of at most so many milliseconds is to end, in those of `performance.now()`: on a beat that the whole process
 * shares, and together with every other pause of that length. What need not be punctual then wakes the process once
 * instead of many times, which is most of what it costs at rest.
 */
export function beatWithin(pauseMs: number): number {
  const now = performance.now()
  const stepMs = Math.max(1, Math.floor(pauseMs / beatMs)) * beatMs
  const at = firstBeat + Math.floor((now + pauseMs - firstBeat) / stepMs) * stepMs
  return at - now < earlyMs ? at + stepMs : at
}
