import type { EventRow } from '../domain/event-row.ts'
import { withSize } from '../domain/page-bytes.ts'
import { eventColumns, eventJoins } from './readable-events.ts'
import { statement, type Connection } from './statement.ts'
import { defineChangeIfRoomUnchanged, type DecidedState } from './unchanged-room.ts'

export type MessagePlace = { roomId: string; seq: bigint }

const updateBody = statement(
  'edit_body',
  'update room_events set body = $3, updated_at = $4 where room_id = $1 and seq = $2',
)

/** $10 place of the message, $11 text, $12 time, $13 the message or echo to return. */
const updateBodyWithEvent = defineChangeIfRoomUnchanged<Omit<EventRow, 'bytes'>>(
  'edit_body_with_event',
  `written as (
  update room_events e set body = $11, updated_at = $12::timestamptz from unchanged_room where e.room_id = $1 and e.seq = $10::bigint
  returning 1
)`,
  `${eventColumns}
from written, room_lines l
join room_events e on e.room_id = l.room_id and e.event_id = $13${eventJoins}
where l.room_id = $1`,
)

const deletePreview = statement(
  'drop_link_preview',
  'update room_events set link_preview = null, updated_at = $3 where room_id = $1 and seq = $2',
)

const deleteAttachment = statement(
  'drop_attachment',
  `with dropped as (delete from message_attachments where room_id = $1 and seq = $2 and asset_id = $3)
update room_events set updated_at = $4 where room_id = $1 and seq = $2`,
)

export async function storeBody(on: Connection, { roomId, seq }: MessagePlace, text: string, at: Date): Promise<void> {
  await updateBody.run(on, [roomId, seq, text, at])
}

/**
 * Returns the outbox entry, and the message or echo `shown` as the user sees it. Returns undefined, without a change,
 * if the room has changed since `decided`, the message is retracted or the user's account is deleted.
 */
export async function storeBodyWithEvent(
  on: Connection,
  decided: DecidedState,
  { seq, text, at, shown }: { seq: bigint; text: string; at: Date; shown: string },
): Promise<{ entries: bigint[]; row: EventRow } | undefined> {
  const found = await updateBodyWithEvent.run(on, decided, [seq, text, at, shown])
  if (!found) return undefined
  const { entries, ...row } = found
  return { entries, row: withSize({ ...row, body: text, updatedAt: at }) }
}

export async function dropLinkPreview(on: Connection, { roomId, seq }: MessagePlace, at: Date): Promise<void> {
  await deletePreview.run(on, [roomId, seq, at])
}

export async function dropAttachment(
  on: Connection,
  { roomId, seq }: MessagePlace,
  id: string,
  at: Date,
): Promise<void> {
  await deleteAttachment.run(on, [roomId, seq, id, at])
}
