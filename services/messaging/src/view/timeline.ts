import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RoomTimelineEventSchema, RoomTimelinePageSchema, User } from '@parley/contracts/api'
import { encodeCursor } from '../domain/cursor.ts'
import type { Window } from '../domain/window.ts'
import type { EventRow } from '../domain/event-row.ts'
import { shownParticipants, toMessage } from './message.ts'
import type { ViewContext } from './view-context.ts'

type TimelineEvent = MessageInitShape<typeof RoomTimelineEventSchema>

const roomEventCases = {
  room_created: 'roomCreated',
  room_updated: 'roomUpdated',
  room_archived: 'roomArchived',
  room_unarchived: 'roomUnarchived',
  user_joined_room: 'userJoinedRoom',
  user_left_room: 'userLeftRoom',
} as const

/**
 * Without rows, both cursors are the cursor of the request, so that a client can continue. The `root` of a thread
 * precedes the rows and does not affect the cursors.
 */
export function toPage(
  viewContext: ViewContext,
  window: Window<EventRow>,
  users: ReadonlyMap<string, User>,
  { requestCursor = '', root }: { requestCursor?: string | undefined; root?: EventRow | undefined } = {},
): MessageInitShape<typeof RoomTimelinePageSchema> {
  const [first, last] = [window.rows[0], window.rows.at(-1)]
  return {
    events: (root ? [root, ...window.rows] : window.rows).map((row) => toTimelineEvent(viewContext, row)),
    startCursor: first ? encodeCursor(first.seq) : requestCursor,
    endCursor: last ? encodeCursor(last.seq) : requestCursor,
    hasOlder: window.hasOlder,
    hasNewer: window.hasNewer,
    includes: { users: Object.fromEntries(users) },
  }
}

function toTimelineEvent(viewContext: ViewContext, row: EventRow): TimelineEvent {
  return {
    id: row.eventId,
    createdAt: timestampFromDate(row.createdAt),
    actorId: row.actorId,
    event:
      row.kind === 'message_posted'
        ? { case: 'messagePosted', value: { message: toMessage(viewContext, row) } }
        : { case: roomEventCases[row.kind], value: { roomId: viewContext.roomId } },
  }
}

export function shownUserIds(rows: readonly EventRow[]): string[] {
  const ids = rows.flatMap((row) => [row.actorId, ...shownParticipants(row), ...shownReactors(row)])
  return [...new Set(ids)].filter((id) => id !== '')
}

const shownReactors = ({ deletedAt, reactions }: EventRow): string[] =>
  deletedAt ? [] : (reactions ?? []).flatMap(({ firstUserIds }) => firstUserIds)
