import { timeOf } from '../store/lines.ts'
import type { Timeline } from './timeline.ts'

const rowsAtOnce = 200
const maxReads = 20

/**
 * Loads older rows until the oldest is not newer than `time` (in milliseconds), or all are loaded, or after 20 reads.
 */
export async function loadOlderUntil(timeline: Timeline, time: number): Promise<void> {
  for (let reads = 0; reads < maxReads; reads++) {
    const { rows: [first] = [], hasOlder = false } = timeline.window.value ?? {}
    if (!hasOlder || first === undefined || timeOf(first).getTime() <= time) return
    await timeline.readOlder(rowsAtOnce)
  }
}
