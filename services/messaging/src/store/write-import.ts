import type { ImportPlan } from '../domain/plan-import.ts'
import type { LivePlaces } from './imports.ts'
import { statement, type Connection } from './statement.ts'

const insertEvents = statement(
  'import_events',
  `insert into room_events (
  room_id, seq, event_id, kind, in_timeline, actor_id, created_at, updated_at, deleted_at, body, in_reply_to,
  thread_root_event_id, echo_of_event_id, echo_from_thread_root_event_id, channel_echo_event_id, link_preview
)
select $1, e.seq, e.event_id, 'message_posted', e.in_timeline, e.actor_id, e.created_at, e.updated_at, e.deleted_at,
  e.body, e.in_reply_to, e.thread_root, e.echo_of, e.echo_from, e.channel_echo, e.link_preview
from unnest(
  $2::bigint[], $3::text[], $4::boolean[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[],
  $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bytea[]
) as e (
  seq, event_id, in_timeline, actor_id, created_at, updated_at, deleted_at,
  body, in_reply_to, thread_root, echo_of, echo_from, channel_echo, link_preview
)`,
)

const insertIds = statement(
  'import_ids',
  `insert into imported_messages (room_id, external_id, event_id)
select $1, m.external_id, m.event_id from unnest($2::text[], $3::text[]) as m (external_id, event_id)`,
)

const upsertThreads = statement(
  'import_threads',
  `with reply as (
  select * from unnest($2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::boolean[])
    as r (root, seq, at, author, shown)
), first_reply as (
  select root, author, min(seq) as seq from reply where shown group by root, author
)
insert into threads as t (room_id, root_event_id, reply_count, last_reply_at, last_reply_seq, participant_ids)
select $1, root, count(*) filter (where shown), max(at) filter (where shown), max(seq) filter (where shown),
  coalesce((
    select array_agg(author order by f.seq)
    from (select author, f.seq from first_reply f where f.root = reply.root order by f.seq limit 50) f
  ), '{}')
from reply group by root
on conflict (room_id, root_event_id) do update
set reply_count = t.reply_count + excluded.reply_count,
    last_reply_at = coalesce(excluded.last_reply_at, t.last_reply_at),
    last_reply_seq = coalesce(excluded.last_reply_seq, t.last_reply_seq),
    participant_ids = array(
      select p.id from unnest(t.participant_ids || excluded.participant_ids) with ordinality as p (id, n)
      group by p.id order by min(p.n) limit 50
    )`,
)

const insertFollows = statement(
  'import_follows',
  `insert into thread_follows (room_id, root_event_id, user_id, following)
select distinct $1, f.root, f.user_id, true from unnest($2::text[], $3::text[]) as f (root, user_id)
on conflict (room_id, root_event_id, user_id) do nothing`,
)

const insertReactions = statement(
  'import_reactions',
  `insert into reactions (room_id, seq, emoji, user_id, created_at)
select $1, r.seq, r.emoji, r.user_id, r.at + r.n * interval '1 millisecond'
from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::integer[]) as r (seq, emoji, user_id, at, n)`,
)

const insertTallies = statement(
  'import_tallies',
  `insert into reaction_tallies (room_id, seq, emoji, count, first_user_ids, since)
select $1, r.seq, r.emoji, r.count, string_to_array(r.first_users, ' '), r.since
from unnest($2::bigint[], $3::text[], $4::integer[], $5::text[], $6::bigint[]) as r (seq, emoji, count, first_users, since)`,
)

const insertAttachments = statement(
  'import_attachments',
  `insert into message_attachments (room_id, seq, position, asset_id, filename, content_type, size, width, height)
select $1, * from unnest(
  $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::integer[], $9::integer[]
)`,
)

const updateLog = statement(
  'import_updates_log',
  `update room_lines set room_seq = $2,
  last_message_seq = coalesce(greatest(last_message_seq, $3::bigint), last_message_seq),
  last_message_at = coalesce(greatest(last_message_at, $4::timestamptz), last_message_at)
where room_id = $1`,
)

const upsertImport = statement(
  'upsert_import',
  `insert into imports as i (room_id, source, messages, through, last_seq, live_from, live_to)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (room_id) do update
set messages = i.messages + excluded.messages, through = greatest(i.through, excluded.through),
    last_seq = greatest(i.last_seq, excluded.last_seq),
    live_from = coalesce(i.live_from, excluded.live_from), live_to = coalesce(excluded.live_to, i.live_to)`,
)

const column = <T, C>(rows: readonly T[], of: (row: T) => C): C[] => rows.map(of)
const namedInTally = 5

/** One statement per table. The log must be locked. */
export async function writeImport(
  on: Connection,
  { roomId, source, live }: { roomId: string; source: string; live: LivePlaces | undefined },
  plan: ImportPlan,
): Promise<void> {
  const { events, replies, follows, reactions, attachments, ids } = plan
  await insertEvents.run(on, [
    roomId,
    column(events, (event) => event.seq),
    column(events, (event) => event.eventId),
    column(events, (event) => event.inTimeline),
    column(events, (event) => event.authorId),
    column(events, (event) => event.createdAt),
    column(events, (event) => event.updatedAt),
    column(events, (event) => event.deletedAt),
    column(events, (event) => event.body),
    column(events, (event) => event.inReplyTo),
    column(events, (event) => event.threadRootEventId),
    column(events, (event) => event.echoOfEventId),
    column(events, (event) => event.echoFromThreadRootEventId),
    column(events, (event) => event.channelEchoEventId),
    column(events, (event) => event.linkPreview && Buffer.from(event.linkPreview)),
  ])
  await insertIds.run(on, [roomId, column(ids, (id) => id.externalId), column(ids, (id) => id.eventId)])
  if (replies.length > 0) {
    const columns = [column(replies, (reply) => reply.rootEventId), column(replies, (reply) => reply.seq)]
    const rest = [column(replies, (reply) => reply.authorId), column(replies, (reply) => reply.shown)]
    await upsertThreads.run(on, [roomId, ...columns, column(replies, (reply) => reply.at), ...rest])
    const followers = [column(follows, (follow) => follow.rootEventId), column(follows, (follow) => follow.userId)]
    await insertFollows.run(on, [roomId, ...followers])
  }
  if (reactions.length > 0) await writeReactions(on, roomId, reactions)
  if (attachments.length > 0) await writeAttachments(on, roomId, attachments)
  const shown = events.filter(({ inTimeline, deletedAt }) => inTimeline && deletedAt === null)
  const posted = events.filter(({ inTimeline }) => inTimeline)
  const lastPosted = posted.reduce<Date | null>((last, { createdAt }) => later(last, createdAt), null)
  await updateLog.run(on, [roomId, plan.roomSeq, shown.at(-1)?.seq ?? null, lastPosted])
  const through = events.reduce<Date | null>((last, { createdAt }) => later(last, createdAt), null)
  const places = [live?.from ?? null, live?.to ?? null]
  await upsertImport.run(on, [roomId, source, ids.length, through, plan.roomSeq, ...places])
}

const later = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other)

async function writeReactions(on: Connection, roomId: string, reactions: ImportPlan['reactions']): Promise<void> {
  const single = reactions.flatMap(({ seq, emoji, userIds, at }) =>
    userIds.map((userId, index) => ({ seq, emoji, userId, at, index })),
  )
  await insertReactions.run(on, [
    roomId,
    column(single, (reaction) => reaction.seq),
    column(single, (reaction) => reaction.emoji),
    column(single, (reaction) => reaction.userId),
    column(single, (reaction) => reaction.at),
    column(single, (reaction) => reaction.index),
  ])
  await insertTallies.run(on, [
    roomId,
    column(reactions, (reaction) => reaction.seq),
    column(reactions, (reaction) => reaction.emoji),
    column(reactions, (reaction) => reaction.userIds.length),
    column(reactions, (reaction) => reaction.userIds.slice(0, namedInTally).join(' ')),
    column(reactions, (reaction) => reaction.since),
  ])
}

async function writeAttachments(on: Connection, roomId: string, all: ImportPlan['attachments']): Promise<void> {
  const rows = all.flatMap(({ seq, attachments }) =>
    attachments.map((attachment, position) => ({ ...attachment, seq, position })),
  )
  await insertAttachments.run(on, [
    roomId,
    column(rows, (row) => row.seq),
    column(rows, (row) => row.position),
    column(rows, (row) => row.assetId),
    column(rows, (row) => row.filename),
    column(rows, (row) => row.contentType),
    column(rows, (row) => row.size),
    column(rows, (row) => row.width),
    column(rows, (row) => row.height),
  ])
}
