import { maxEmojis, type ChangeableMessage } from '../domain/changeable.ts'
import type { RoomLog, Standing } from '../domain/room-header.ts'
import { headerColumns, standingColumns, standingJoins, toHeader, type HeaderRow } from './rooms.ts'
import { statement, type Connection } from './statement.ts'

type Columns = Omit<ChangeableMessage, 'echo' | 'requested'> & {
  requestedIsEcho: boolean
  requestedIsDeleted: boolean
  echoEventId: string | null
  echoSeq: bigint | null
}

type Row = HeaderRow & Standing & { roomSeq: bigint; erased: boolean } & (Columns | { eventId: null })

/** $1 room, $2 user, $3 event, $4 emoji. */
const read = statement<Row>(
  'read_changeable',
  `select ${headerColumns}, l.room_seq as "roomSeq", ${standingColumns}, erased.gone as erased,
  e.seq, e.event_id as "eventId", e.actor_id as "authorId", e.created_at as "createdAt",
  e.deleted_at is not null as retracted, coalesce(e.body, '') as body, e.thread_root_event_id as "threadRootEventId",
  array(
    select a.asset_id from message_attachments a where a.room_id = e.room_id and a.seq = e.seq order by a.position
  ) as "attachmentIds",
  e.link_preview as "linkPreview", n.echo_of_event_id is not null as "requestedIsEcho",
  n.deleted_at is not null as "requestedIsDeleted",
  c.event_id as "echoEventId", c.seq as "echoSeq",
  exists (
    select from reactions r where r.room_id = e.room_id and r.seq = e.seq and r.emoji = $4 and r.user_id = $2
  ) as "hasReacted",
  exists (select from reaction_tallies c where c.room_id = e.room_id and c.seq = e.seq and c.emoji = $4) or (
    select count(*) < ${maxEmojis} from reaction_tallies c where c.room_id = e.room_id and c.seq = e.seq
  ) as "acceptsEmoji"
from room_lines l${standingJoins('$2')}
left join room_events n on n.room_id = l.room_id and n.event_id = $3 and n.kind = 'message_posted'
left join room_events e on e.room_id = l.room_id and e.event_id = coalesce(n.echo_of_event_id, n.event_id)
left join room_events c on c.room_id = l.room_id and c.event_id = e.channel_echo_event_id
where l.room_id = $1`,
)

export type Changeable = {
  room: RoomLog
  standing: Standing
  erased: boolean
  message: ChangeableMessage | undefined
}

/** From one snapshot; undefined if the room is unknown. */
export async function findChangeable(
  on: Connection,
  target: { roomId: string; eventId: string; userId: string; emoji: string },
): Promise<Changeable | undefined> {
  const [row] = await read.run(on, [target.roomId, target.userId, target.eventId, target.emoji])
  if (!row) return undefined
  const { member, banned, erased } = row
  const room = { ...toHeader(row), roomSeq: row.roomSeq }
  return { room, standing: { member, banned }, erased, message: row.eventId === null ? undefined : toMessage(row) }
}

function toMessage(row: Columns): ChangeableMessage {
  const { echoEventId, echoSeq, requestedIsEcho, requestedIsDeleted } = row
  const { seq, eventId, authorId, createdAt, retracted, body, threadRootEventId, attachmentIds, linkPreview } = row
  const { hasReacted, acceptsEmoji } = row
  return {
    ...{ seq, eventId, authorId, createdAt, retracted, body, threadRootEventId, attachmentIds, linkPreview },
    ...{ hasReacted, acceptsEmoji },
    echo: echoEventId !== null && echoSeq !== null ? { eventId: echoEventId, seq: echoSeq } : undefined,
    requested: !requestedIsEcho ? 'message' : requestedIsDeleted && !retracted ? 'removed echo' : 'echo',
  }
}
