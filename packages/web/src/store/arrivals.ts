import type { RoomTimelineEvent } from '@parley/client/contract'
import { messageOf } from './timeline-window.ts'

type Rows = readonly RoomTimelineEvent[]

/**
 * Messages of others that came at the newest end of a timeline since it held `before`. Empty when its newest row of then is not
 * there any more: somebody went elsewhere.
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
