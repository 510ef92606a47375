import type { PostedEntry } from '../domain/entry-holes.ts'
import { filled, lineAndKey, mayTakePlace, moveMarker, outcome } from './append-parts.ts'
import { messageParameters, type Appended, type NewMessage } from './append-message.ts'
import { statement, type Connection } from './statement.ts'

export type NewReply = NewMessage & {
  rootEventId: string
  rootAuthorId: string
  /** Bytes to put behind the entry when the reply starts the thread, makes its author and makes the root's author follow. */
  riders: { created: Buffer; authorFollows: Buffer; rootAuthorFollows: Buffer }
  echo: { eventId: string; entry: PostedEntry } | undefined
}

const participantsTracked = 50

/** $16 root, $17 its author, $18 to $20 riders, $21 to $23 event id, payload and holes of the echo or null. */
const append = statement<Appended>(
  'append_reply',
  `${lineAndKey}, place as (
  update room_lines l
  set room_seq = l.room_seq + case when $21::text is null then 1 else 2 end,
      last_message_seq = case when $21::text is null then l.last_message_seq else l.room_seq + 2 end,
      last_message_at = case when $21::text is null then l.last_message_at else $8::timestamptz end
  from line where ${mayTakePlace}
  returning l.room_seq - case when $21::text is null then 0 else 1 end as seq
), event as (
  insert into room_events (
    room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, in_reply_to, thread_root_event_id,
    channel_echo_event_id, echo_of_event_id, echo_from_thread_root_event_id
  )
  select $1, seq, $7, 'message_posted'::room_event_kind, false, $3, $8::timestamptz, $9, $10, $16, $21::text, null, null
  from place
  union all
  select $1, seq + 1, $21, 'message_posted', true, $3, $8::timestamptz, null, null, null, null, $7, $16
  from place where $21::text is not null
), thread as (
  insert into threads (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
  select $1, $16, 1, $8::timestamptz, seq, array[$3] from place
  on conflict (room_id, root_event_id) do update
  set reply_count = threads.reply_count + 1,
      last_reply_at = greatest(threads.last_reply_at, excluded.last_reply_at),
      last_reply_seq = excluded.last_reply_seq,
      participant_ids = case
        when $3 = any (threads.participant_ids) or cardinality(threads.participant_ids) >= ${participantsTracked}
        then threads.participant_ids else threads.participant_ids || $3::text end
  returning reply_count = 1 as created
), author_follows as (
  insert into thread_follows (room_id, root_event_id, user_id, following) select $1, $16, $3, true from place
  on conflict (room_id, root_event_id, user_id) do update set following = true where not thread_follows.following
  returning 1
), root_author_follows as (
  insert into thread_follows (room_id, root_event_id, user_id, following)
  select $1, $16, $17::text, true from thread where created and $17::text <> $3
  on conflict (room_id, root_event_id, user_id) do nothing
  returning 1
), marker as (${moveMarker('seq + 1', 'place where $21::text is not null')}
), thread_marker as (
  insert into thread_markers (room_id, root_event_id, user_id, seq, read_at)
  select $1, $16, $3, seq, $8::timestamptz from place
  on conflict (room_id, root_event_id, user_id) do update
  set seq = excluded.seq, read_at = greatest(thread_markers.read_at, excluded.read_at)
  where thread_markers.seq < excluded.seq
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $11::integer, $12, $13, event_id, payload
  from (
    select seq, $7 as event_id, ${filled('$14', '$15', 'seq')}
      || case when created then $18::bytea else '' end
      || case when exists (select from author_follows) then $19::bytea else '' end
      || case when exists (select from root_author_follows) then $20::bytea else '' end as payload
    from place, thread
    union all
    select seq + 1, $21, ${filled('$22', '$23', '(seq + 1)')} from place where $21::text is not null
  ) entries
  order by seq
  returning id
)${outcome}`,
)

/** Writes a reply in a thread, and its channel echo when it has one, in one statement. */
export async function appendReply(on: Connection, reply: NewReply): Promise<Appended> {
  const { riders, echo } = reply
  const [row] = await append.run(on, [
    ...messageParameters(reply),
    reply.rootEventId,
    reply.rootAuthorId,
    riders.created,
    riders.authorFollows,
    riders.rootAuthorFollows,
    echo?.eventId ?? null,
    echo?.entry.payload ?? null,
    echo?.entry.holes ?? null,
  ])
  if (!row) throw new Error('append_reply always answers one row')
  return row
}
