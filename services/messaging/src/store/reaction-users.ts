import { standingJoins } from './rooms.ts'
import { accessColumns, toAccess, type Access, type AccessRow } from './readable-events.ts'
import { statement, type Connection } from './statement.ts'

/** Sort key: by time, then by id. */
export type ReactionKey = { at: Date; userId: string }

type Row = AccessRow & { isShownMessage: boolean; total: bigint } & (ReactionKey | { userId: null })

/**
 * $1 room, $2 reader, $3 message or echo, $4 emoji, $5 and $6 key to continue after (null for the first page), $7
 * limit, $8 offset.
 */
const read = statement<Row>(
  'read_reaction_users',
  `select ${accessColumns}, e.seq is not null as "isShownMessage", coalesce(t.count, 0)::bigint as total, r.user_id as "userId",
  r.created_at as at
from room_lines l${standingJoins('$2')}
left join lateral (
  select coalesce(o.seq, n.seq) as seq
  from room_events n
  left join room_events o on o.room_id = n.room_id and o.event_id = n.echo_of_event_id
  where n.room_id = l.room_id and n.event_id = $3 and n.kind = 'message_posted'
    and n.deleted_at is null and o.deleted_at is null
  limit 1
) e on true
left join reaction_tallies t on t.room_id = l.room_id and t.seq = e.seq and t.emoji = $4
left join lateral (
  select user_id, created_at from reactions
  where room_id = l.room_id and seq = e.seq and emoji = $4
    and ($5::timestamptz is null or (created_at, user_id) > ($5, $6::text))
  order by created_at, user_id
  limit $7::integer offset $8::integer
) r on true
where l.room_id = $1
order by r.created_at, r.user_id`,
)

type ReactionQuery = { roomId: string; userId: string; eventId: string; emoji: string }
type Page = { limit: number; offset: number; after: ReactionKey | undefined }
export type ReactionUsers = { access: Access; isShownMessage: boolean; total: bigint; users: ReactionKey[] }

/**
 * `userId` is the reader. `isShownMessage`: a message or echo that is not retracted. `total`: the number of all users
 * who reacted with the emoji. Undefined if the room is unknown.
 */
export async function listReactionUsers(
  on: Connection,
  { roomId, userId, eventId, emoji }: ReactionQuery,
  { limit, offset, after }: Page,
): Promise<ReactionUsers | undefined> {
  const continueAfter = [after?.at ?? null, after?.userId ?? null]
  const rows = await read.run(on, [roomId, userId, eventId, emoji, ...continueAfter, limit, after ? 0 : offset])
  const [first] = rows
  if (!first) return undefined
  const { isShownMessage, total } = first
  return {
    ...{ access: toAccess(roomId, first), isShownMessage, total },
    users: rows.flatMap((row) => (row.userId === null ? [] : { at: row.at, userId: row.userId })),
  }
}
