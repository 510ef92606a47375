import type { KnownMessage } from '../domain/plan-import.ts'
import { statement, type Connection } from './statement.ts'

export type ImportState = { roomId: string; source: string; messages: bigint; through: Date; lastSeq: bigint }
/** From the last imported message to the newest message that a user posted since. */
export type LivePlaces = { from: bigint; to: bigint }

const states = statement<ImportState>(
  'read_imports',
  `select room_id as "roomId", source, messages, through, last_seq as "lastSeq" from imports where room_id = any ($1::text[])`,
)
export const findImports = (on: Connection, roomIds: readonly string[]): Promise<ImportState[]> =>
  states.run(on, [roomIds])

const logSummary = statement<{ roomSeq: bigint; everPosted: boolean }>(
  'read_import_target',
  `select room_seq as "roomSeq", last_message_at is not null as "everPosted" from room_lines where room_id = $1`,
)

/** Undefined for an unknown room. `everPosted`: retracted messages count. */
export async function findLogSummary(
  on: Connection,
  roomId: string,
): Promise<{ roomSeq: bigint; everPosted: boolean } | undefined> {
  return (await logSummary.run(on, [roomId]))[0]
}

const posted = statement<{ to: bigint | null }>(
  'read_posted_after_import',
  `select max(seq) as "to" from room_events where room_id = $1 and seq > $2 and kind = 'message_posted'`,
)

export async function findLivePlaces(
  on: Connection,
  { roomId, lastSeq }: ImportState,
): Promise<LivePlaces | undefined> {
  const [{ to } = { to: null }] = await posted.run(on, [roomId, lastSeq])
  return to === null ? undefined : { from: lastSeq, to }
}

const known = statement<KnownMessage & { externalId: string }>(
  'read_imported_messages',
  `select i.external_id as "externalId", e.event_id as "eventId", e.actor_id as "authorId",
  e.thread_root_event_id as "threadRootEventId"
from imported_messages i join room_events e on e.room_id = i.room_id and e.event_id = i.event_id
where i.room_id = $1 and i.external_id = any ($2::text[])`,
)

export async function findImported(
  on: Connection,
  roomId: string,
  externalIds: readonly string[],
): Promise<Map<string, KnownMessage>> {
  const rows = await known.run(on, [roomId, externalIds])
  return new Map(rows.map(({ externalId, ...message }) => [externalId, message]))
}

const erased = statement<{ userId: string }>(
  'read_erased_among',
  `select user_id as "userId" from erasures where user_id = any ($1::text[])`,
)

export async function findErasedAmong(on: Connection, userIds: readonly string[]): Promise<Set<string>> {
  return new Set((await erased.run(on, [userIds])).map(({ userId }) => userId))
}

/**
 * SQL condition: the marker comes after all messages between `live_from` and `live_to` of the import `i` that meet
 * `condition` and are not retracted.
 */
const liveIsRead = (marker: string, condition: string): string => `not exists (
  select from room_events e
  where e.room_id = i.room_id and e.kind = 'message_posted' and e.deleted_at is null and e.seq <= i.live_to
    and e.seq > greatest(i.live_from, coalesce(${marker}.seq, 0)) and ${condition}
)`

const markRooms = statement(
  'import_marks_room_read',
  `insert into room_markers as m (room_id, user_id, seq, read_at)
select i.room_id, u.id, i.last_seq, now()
from imports i
cross join unnest($2::text[]) as u (id)
left join room_markers k on k.room_id = i.room_id and k.user_id = u.id
where i.room_id = $1 and ${liveIsRead('k', 'e.in_timeline')}
  and not exists (select from erasures e where e.user_id = u.id)
order by u.id
on conflict (room_id, user_id) do update
set seq = excluded.seq, read_at = greatest(m.read_at, excluded.read_at) where m.seq < excluded.seq`,
)

const markThreads = statement(
  'import_marks_threads_read',
  `insert into thread_markers as m (room_id, root_event_id, user_id, seq, read_at)
select i.room_id, f.root_event_id, f.user_id, i.last_seq, now()
from imports i
join thread_follows f on f.room_id = i.room_id
left join thread_markers k on k.room_id = f.room_id and k.root_event_id = f.root_event_id and k.user_id = f.user_id
where i.room_id = $1 and f.user_id = any ($2::text[])
  and ${liveIsRead('k', 'e.thread_root_event_id = f.root_event_id')}
  and not exists (select from erasures e where e.user_id = f.user_id)
order by f.root_event_id, f.user_id
on conflict (room_id, root_event_id, user_id) do update
set seq = excluded.seq, read_at = greatest(m.read_at, excluded.read_at) where m.seq < excluded.seq`,
)

/**
 * Marks a room, and the threads in it that the given users follow, as read by them up to the last imported message. A
 * marker stays where it is if its user has not read everything that anybody posted there between the calls of the
 * import. Users with deleted accounts are ignored. Posts, too, write markers in the order of their keys, so
 * transactions cannot deadlock. The users must be distinct.
 */
export async function markImportRead(on: Connection, roomId: string, userIds: readonly string[]): Promise<void> {
  await markRooms.run(on, [roomId, userIds])
  await markThreads.run(on, [roomId, userIds])
}
