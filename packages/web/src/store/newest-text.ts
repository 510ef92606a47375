import type { RoomTimelineEvent } from '@parley/client/contract'
import { messageOf } from './timeline-window.ts'

/** Id of a user's newest message that has a text and is not deleted. */
export function idOfNewestText(rows: readonly RoomTimelineEvent[], userId: string): string | undefined {
  const isText = (row: RoomTimelineEvent) => {
    const message = messageOf(row)
    return message?.actorId === userId && message.deletedAt === undefined && message.body !== undefined
  }
  return rows.findLast(isText)?.id
}
