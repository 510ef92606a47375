import type { RoomTimelineEvent } from '@parley/client/contract'
import { messageOf } from './timeline-window.ts'

/** 0 if the row with this id is no longer loaded. */
export function unseenAfter(rows: readonly RoomTimelineEvent[], id: string | undefined, userId: string): number {
  const at = rows.findLastIndex((row) => row.id === id)
  return at < 0 ? 0 : rows.slice(at + 1).filter((row) => messageOf(row) && row.actorId !== userId).length
}
