import { fillHoles, isBannedOrDeleted, isTaken, moveMarker, takeKey } from './append-parts.ts'
import { toPostRow } from './post-rows.ts'
import { toAppended, type Appended, type AppendedRow, type RoomVersion, type NewPost } from './new-post.ts'
import { statement, type Connection } from './statement.ts'

const maxParticipants = 50

/** SQL condition for room $1. `open`: whether no explicit membership is needed. */
const mayRead = (open: string, user: string) => `(${open} or coalesce((
    select m.member from line_members m where m.room_id = $1 and m.user_id = ${user}
  ), false)) and not ${isBannedOrDeleted(user)}`

/**
 * $1 room, $2 version, $3 posts as JSON (see `post-rows.ts`), numbered from 0 in order of arrival, $4 and $5 shard and
 * aggregate of their outbox entries. Keys, markers, threads and follows are written in the order of their keys, so that
 * statements of two processes cannot deadlock.
 */
const append = statement<AppendedRow>(
  'append_posts',
  `
with post as materialized (
  select * from json_to_recordset($3::json) as p (
    n integer, author text, open boolean, key text, digest bytea, event_id text, created_at timestamptz, body text,
    in_reply_to text, subject text, payload bytea, holes integer[], link_preview bytea, attachments json, pending boolean,
    root text, created_delivery bytea, followers json, echo text, echo_subject text, echo_payload bytea, echo_holes integer[]
  )
), standing as materialized (
  select n, ${mayRead('open', 'author')} as may from post
), line as materialized (
  select from room_lines l, (select from standing where may limit 1) s
  where l.room_id = $1 and l.version = $2::bigint
  for no key update of l
), met as materialized (
  select n from standing, line where may
), file as materialized (
  select n, a.* from post, json_to_recordset(attachments) as a (
    position smallint, asset_id text, filename text, content_type text, size bigint, width integer, height integer,
    video bytea
  )
), used as materialized (
  select n, position, asset_id from file where exists (select from message_attachments m where m.asset_id = file.asset_id)
  union all
  select later.n, later.position, asset_id from file later join file earlier using (asset_id) where earlier.n < later.n
  union all
  select n, position, asset_id from file join post using (n)
  where exists (select from room_events e where e.room_id = $1 and e.event_id = post.event_id)
), fresh as materialized (
  select n from post join met using (n) where n not in (select n from used)
), keyed as materialized (
  select distinct on (author, key) n, author, key, digest, event_id
  from post join fresh using (n) where key is not null
  order by author, key, n
), key as (
  insert into message_keys (caller_id, key, digest, room_id, event_id, created_at)
  select author, key, digest, $1, event_id, now() from keyed order by author, key
  ${takeKey}
), accepted as materialized (
  select n, row_number() over (order by n) + count(echo) over (order by n) - (echo is not null)::integer as nth,
    echo is not null as echoed, root is null or echo is not null as shown, created_at
  from post join fresh using (n)
  where post.key is null or n in (
    select n from keyed join key on caller_id = author and key.key = keyed.key and ${isTaken('keyed.event_id')}
  )
), place as (
  update room_lines l
  set room_seq = l.room_seq + a.places,
      last_message_seq = coalesce(l.room_seq + a.shown, l.last_message_seq),
      last_message_at = greatest(l.last_message_at, a.shown_at)
  from (
    select count(*) + count(*) filter (where echoed) as places, max(nth + echoed::integer) filter (where shown) as shown,
      max(created_at) filter (where shown) as shown_at
    from accepted
  ) a
  where l.room_id = $1 and a.places > 0
  returning l.room_seq - a.places as base
), placed as materialized (
  select post.*, base + nth as seq from place, accepted join post using (n)
), event as (
  insert into room_events (
    room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, in_reply_to, thread_root_event_id,
    channel_echo_event_id, link_preview, echo_of_event_id, echo_from_thread_root_event_id
  )
  select $1, seq, event_id, 'message_posted'::room_event_kind, root is null, author, created_at, body, in_reply_to, root,
    echo, link_preview, null, null
  from placed
  union all
  select $1, seq + 1, echo, 'message_posted', true, author, created_at, null, null, null, null, null, event_id, root
  from placed where echo is not null
), attachment as (
  insert into message_attachments (room_id, seq, position, asset_id, filename, content_type, size, width, height, video)
  select $1, seq, position, asset_id, filename, content_type, size, width, height, video from file join placed using (n)
), unresolved as (
  insert into unresolved_mentions (room_id, seq, created_at) select $1, seq, created_at from placed where pending
), marker as (
  insert into room_markers (room_id, user_id, seq, read_at)
  select $1, author, max(seq + (echo is not null)::integer), max(created_at) from placed
  where root is null or echo is not null group by author order by author
  ${moveMarker('room_markers', 'room_id, user_id')}
), thread_marker as (
  insert into thread_markers (room_id, root_event_id, user_id, seq, read_at)
  select $1, root, author, max(seq), max(created_at) from placed where root is not null group by root, author order by 2, 3
  ${moveMarker('thread_markers', 'room_id, root_event_id, user_id')}
), thread as (
  insert into threads (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
  select $1, root, sum(replies), max(at), max(last), (array_agg(author order by first))[1:${maxParticipants}]
  from (
    select root, author, count(*) as replies, max(created_at) as at, min(seq) as first, max(seq) as last
    from placed where root is not null group by root, author
  ) of_author
  group by root order by root
  on conflict (room_id, root_event_id) do update
  set reply_count = threads.reply_count + excluded.reply_count,
      last_reply_at = greatest(threads.last_reply_at, excluded.last_reply_at),
      last_reply_seq = excluded.last_reply_seq,
      participant_ids = (threads.participant_ids || array(
        select id from unnest(excluded.participant_ids) with ordinality as more (id, nth)
        where id <> all (threads.participant_ids) order by nth
      ))[1:${maxParticipants}]
  returning root_event_id as root, xmax = 0 as created
), first_reply as materialized (
  select min(n) as n from placed join thread using (root) where created group by root
), candidate as materialized (
  select distinct on (root, f.user_id) n, root, f.user_id, f.nth, f.delivery,
    bool_or(f.why = 'author') over (partition by root, f.user_id) as decided
  from placed, json_to_recordset(followers) as f (nth integer, user_id text, why text, open boolean, delivery bytea)
  where case f.why
    when 'author' then true
    when 'root_author' then n in (select n from first_reply) and ${mayRead('f.open', 'f.user_id')}
    else ${mayRead('f.open', 'f.user_id')}
  end
  order by root, f.user_id, n, f.nth
), deciding as (
  insert into thread_follows (room_id, root_event_id, user_id, following)
  select $1, root, user_id, true from candidate where decided order by root, user_id
  on conflict (room_id, root_event_id, user_id) do update set following = true where not thread_follows.following
  returning root_event_id as root, user_id
), joining as (
  insert into thread_follows (room_id, root_event_id, user_id, following)
  select $1, root, user_id, true from candidate where not decided order by root, user_id
  on conflict (room_id, root_event_id, user_id) do nothing
  returning root_event_id as root, user_id
), delivery as materialized (
  select n, string_agg(delivery, '' order by nth) as bytes
  from candidate join (select * from deciding union all select * from joining) following using (root, user_id)
  group by n
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $4::integer, $5, subject, event_id, payload
  from (
    select seq, subject, event_id, ${fillHoles('payload', 'holes', 'seq')}
      || case when n in (select n from first_reply) then created_delivery else '' end
      || coalesce((select bytes from delivery where delivery.n = placed.n), '') as payload
    from placed
    union all
    select seq + 1, echo_subject, echo, ${fillHoles('echo_payload', 'echo_holes', '(seq + 1)')} from placed where echo is not null
  ) entries
  order by seq
  returning id
)
select met.n is not null as met, placed.seq, case n when 0 then array(select id from entry order by id) else '{}' end as entries,
  reason.file, reason.digest, reason."roomId", reason."eventId"
from post left join met using (n) left join placed using (n)
left join lateral (
  select (select asset_id from used where used.n = post.n order by position limit 1) as file,
    coalesce(key.digest, earlier.digest) as digest, coalesce(key.room_id, earlier.room_id) as "roomId",
    coalesce(key.event_id, earlier.event_id) as "eventId"
  from (select) one
  left join key on key.caller_id = post.author and key.key = post.key
  left join message_keys earlier on earlier.caller_id = post.author and earlier.key = post.key
    and earlier.created_at >= now() - interval '24 hours'
  where met.n is not null and placed.seq is null
) reason on true
order by n`,
)

export async function appendPosts(on: Connection, at: RoomVersion, posts: readonly NewPost[]): Promise<Appended[]> {
  const [first] = posts
  if (!first) return []
  const { shard, aggregate } = first.entry
  const rows = JSON.stringify(posts.map(toPostRow))
  return (await append.run(on, [at.roomId, at.version, rows, shard, aggregate])).map(toAppended)
}
