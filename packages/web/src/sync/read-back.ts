import { timeOf } from '../store/lines.ts'
import type { Timeline } from './timeline.ts'

const rowsAtOnce = 200
/** Maximum number of reads. */
const mostReads = 20

/** Reads a timeline back until it has a row from before a moment, in milliseconds, or all rows. */
export async function readBackTo(timeline: Timeline, moment: number): Promise<void> {
  for (let reads = 0; reads < mostReads; reads++) {
    const { rows: [first] = [], hasOlder = false } = timeline.window.value ?? {}
    if (!hasOlder || first === undefined || timeOf(first).getTime() <= moment) return
    await timeline.readOlder(rowsAtOnce)
  }
}
