import type { RoomTimelineEvent } from '@parley/client/contract'
import { messageOf } from './timeline-window.ts'

type Rows = readonly RoomTimelineEvent[]

/**
 * Messages of others that were added at the newest end of a timeline since `before`. Empty when the newest row of
 * `before` is no longer loaded, because the user navigated elsewhere.
 */
export function arrivedSince(before: Rows, now: Rows, userId: string): RoomTimelineEvent[] {
  const last = before.at(-1)
  const at = last ? now.findLastIndex(({ id }) => id === last.id) : -1
  if (at < 0) return []
  return now.slice(at + 1).filter((row) => {
    const message = messageOf(row)
    return message !== undefined && message.actorId !== userId && message.deletedAt === undefined
  })
}
