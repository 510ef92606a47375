/** Pauses from here on can be made to end on a beat. */
export const beatMs = 2_000
/** A timer may fire a moment early. */
const earlyMs = 50
/** Where the beats of this process lie, so that not all processes of a machine wake together. */
const firstBeat = (process.pid * 611) % beatMs

/**
 * When a pause of at most so many milliseconds is to end, in those of `performance.now()`: on a beat that the whole process
 * shares. What need not be punctual then wakes it once instead of many times, which is most of what a process at rest
 * costs.
 */
export function beatWithin(pauseMs: number): number {
  const now = performance.now()
  const at = firstBeat + Math.floor((now + pauseMs - firstBeat) / beatMs) * beatMs
  return at - now < earlyMs ? at + beatMs : at
}
