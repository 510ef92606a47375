import { fillHoles, isBannedOrDeleted, isTaken, moveMarker, takeKey } from './append-parts.ts'
import { toAppended, type Appended, type AppendedRow, type RoomVersion, type NewPost } from './new-post.ts'
import { statement, type Connection } from './statement.ts'

/**
 * $1 room, $2 version, $3 author, $4 whether no explicit membership is needed, $5 key or null, $6 digest, $7 event, $8
 * time, $9 body, $10 in_reply_to, $11 to $15 shard, aggregate, subject, payload and holes of the outbox entry.
 */
const append = statement<AppendedRow>(
  'append_message',
  `
with standing as materialized (
  select
    coalesce((select m.member from line_members m where m.room_id = $1 and m.user_id = $3), false) as member,
    ${isBannedOrDeleted('$3')} as banned
), line as materialized (
  select from room_lines l, standing s
  where l.room_id = $1 and l.version = $2::bigint and (s.member or $4::boolean) and not s.banned
  for no key update of l
), key as (
  insert into message_keys (caller_id, key, digest, room_id, event_id, created_at)
  select $3, $5::text, $6::bytea, $1, $7, now() from line where $5::text is not null
  ${takeKey}
), place as (
  update room_lines l
  set room_seq = l.room_seq + 1, last_message_seq = l.room_seq + 1,
    last_message_at = greatest(l.last_message_at, $8::timestamptz)
  from line where l.room_id = $1 and ($5::text is null or exists (select from key where ${isTaken('$7')}))
  returning l.room_seq as seq
), event as (
  insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, in_reply_to)
  select $1, seq, $7, 'message_posted', true, $3, $8::timestamptz, $9, $10 from place
), marker as (
  insert into room_markers (room_id, user_id, seq, read_at) select $1, $3, seq, $8::timestamptz from place
  ${moveMarker('room_markers', 'room_id, user_id')}
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $11::integer, $12, $13, $7, ${fillHoles('$14', '$15', 'seq')} from place
  returning id
)
select exists (select from line) as met, (select seq from place) as seq, array(select id from entry) as entries,
  null::text as file, key.digest, key.room_id as "roomId", key.event_id as "eventId"
from (select) one left join key on true`,
)

/** Only for a post for which `isPlain` is true. */
export async function appendMessage(
  on: Connection,
  { roomId, version }: RoomVersion,
  post: NewPost,
): Promise<Appended> {
  const { authorId, authorIsImplicitMember, key, digest, eventId, createdAt, body, inReplyTo, entry } = post
  const [row] = await append.run(on, [
    ...[
      roomId,
      version,
      authorId,
      authorIsImplicitMember,
      key ?? null,
      digest,
      eventId,
      createdAt,
      body,
      inReplyTo || null,
    ],
    ...[entry.shard, entry.aggregate, entry.subject, entry.payload, entry.holes],
  ])
  if (!row) throw new Error('append_message did not return a row')
  return toAppended(row)
}
