import type { EventRow } from '../domain/event-row.ts'
import { sized } from '../domain/page-bytes.ts'
import { eventColumns, eventJoins } from './readable-events.ts'
import { statement, type Connection } from './statement.ts'
import { changeOfUnchangedRoom, type DecidedAt } from './unchanged-room.ts'

/** A message by its room and place. */
export type Placed = { roomId: string; seq: bigint }

const body = statement('edit_body', 'update room_events set body = $3, updated_at = $4 where room_id = $1 and seq = $2')

/** $10 place of the message, $11 text, $12 time, $13 the message or its echo to return. */
const bodyAtOnce = changeOfUnchangedRoom<Omit<EventRow, 'bytes'>>(
  'edit_body_at_once',
  `written as (
  update room_events e set body = $11, updated_at = $12::timestamptz from line where e.room_id = $1 and e.seq = $10::bigint
  returning 1
)`,
  `${eventColumns}
from written, room_lines l
join room_events e on e.room_id = l.room_id and e.event_id = $13${eventJoins}
where l.room_id = $1`,
)

const preview = statement(
  'drop_link_preview',
  'update room_events set link_preview = null, updated_at = $3 where room_id = $1 and seq = $2',
)

const attachment = statement(
  'drop_attachment',
  `with dropped as (delete from message_attachments where room_id = $1 and seq = $2 and asset_id = $3)
update room_events set updated_at = $4 where room_id = $1 and seq = $2`,
)

export async function storeBody(on: Connection, { roomId, seq }: Placed, text: string, at: Date): Promise<void> {
  await body.run(on, [roomId, seq, text, at])
}

/**
 * Stores a text with its event, in one statement, and returns the message with the given id as the user sees it;
 * undefined when the room has changed.
 */
export async function storeBodyAtOnce(
  on: Connection,
  decided: DecidedAt,
  { seq, text, at, shown }: { seq: bigint; text: string; at: Date; shown: string },
): Promise<{ entries: bigint[]; row: EventRow } | undefined> {
  const found = await bodyAtOnce.run(on, decided, [seq, text, at, shown])
  if (!found) return undefined
  const { entries, ...row } = found
  // The statement reads the message as it was.
  return { entries, row: sized({ ...row, body: text, updatedAt: at }) }
}

export async function dropLinkPreview(on: Connection, { roomId, seq }: Placed, at: Date): Promise<void> {
  await preview.run(on, [roomId, seq, at])
}

export async function dropAttachment(on: Connection, { roomId, seq }: Placed, id: string, at: Date): Promise<void> {
  await attachment.run(on, [roomId, seq, id, at])
}
