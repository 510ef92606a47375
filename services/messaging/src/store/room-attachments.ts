import { maxPlace } from '../domain/cursor.ts'
import type { AttachmentRow } from '../domain/event-row.ts'
import { standingJoins } from './rooms.ts'
import { accessColumns, toAccess, type Access, type AccessRow } from './readable-events.ts'
import { statement, type Connection } from './statement.ts'

export type RoomAttachment = AttachmentRow & {
  size: bigint
  messageEventId: string
  threadRootEventId: string | null
  createdAt: Date
} & AttachmentKey

/** Sort key: newest message first, then by position in the message. */
export type AttachmentKey = { seq: bigint; position: number }

/** `total` is counted only for the first page. */
export type AttachmentCursor = AttachmentKey & { total: bigint }

type Row = AccessRow & { total: bigint } & (RoomAttachment | { assetId: null })

/**
 * $1 room, $2 reader, $3 and $4 key to continue after (`maxPlace` and 0 for the first page), $5 limit, $6 offset, $7
 * total or null.
 */
const read = statement<Row>(
  'read_room_attachments',
  `select ${accessColumns}, coalesce($7::bigint, (select count(*) from message_attachments where room_id = $1)) as total, a.*
from room_lines l${standingJoins('$2')}
left join lateral (
  select a.seq, a.position, a.asset_id as "assetId", a.filename, a.content_type as "contentType", a.size, a.width, a.height,
    encode(a.video, 'base64') as video, e.event_id as "messageEventId", e.thread_root_event_id as "threadRootEventId", e.created_at as "createdAt"
  from message_attachments a
  join room_events e on e.room_id = a.room_id and e.seq = a.seq
  where a.room_id = $1 and a.seq <= $3::bigint and (a.seq < $3::bigint or a.position > $4::smallint)
  order by a.seq desc, a.position
  limit $5::integer offset $6::integer
) a on true
where l.room_id = $1
order by a.seq desc, a.position`,
)

/** `offset` is ignored if `after` is given. */
type Page = { limit: number; offset: number; after: AttachmentCursor | undefined }
export type RoomAttachments = { access: Access; total: bigint; attachments: RoomAttachment[] }

export async function listRoomAttachments(
  on: Connection,
  reader: { roomId: string; userId: string },
  { limit, offset, after }: Page,
): Promise<RoomAttachments | undefined> {
  const { roomId, userId } = reader
  const { seq, position } = after ?? { seq: maxPlace, position: 0 }
  const rows = await read.run(on, [roomId, userId, seq, position, limit, after ? 0 : offset, after?.total ?? null])
  const [first] = rows
  if (!first) return undefined
  const attachments = rows.flatMap((row) => (row.assetId === null ? [] : row))
  return { access: toAccess(roomId, first), total: first.total, attachments }
}
