import { timestampDate } from '@bufbuild/protobuf/wkt'
import { toOutboxRow, type OutgoingEvent } from '@parley/events'
import type { Step } from '../domain/fold-facts.ts'
import type { LogState } from '../domain/room-header.ts'
import { headerColumns, roomKindName, toHeader, type HeaderRow } from './rooms.ts'
import { roomEventKind } from './schema.ts'
import { statement, type Connection } from './statement.ts'

export type HeldFacts = {
  room: LogState | undefined
  /** Id of the outbox entry of the last fact; 0 if there is none. */
  lastEntry: bigint
}

const lock = statement<HeaderRow & { roomSeq: bigint; factId: string; factEntry: bigint }>(
  'lock_log_state',
  `select ${headerColumns}, l.room_seq as "roomSeq", l.fact_id as "factId", l.fact_entry as "factEntry"
from room_lines l where l.room_id = $1 and l.version > 0 for no key update`,
)

const insert = statement(
  'insert_log',
  `insert into room_lines (room_id, version, room_seq, fact_entry, kind, group_id, universal, archived, name, participant_ids)
values ($1, 0, 0, 0, 'channel', '', false, false, '', '{}')
on conflict do nothing`,
)

/** Locks the row of the room, if it has facts, until the transaction ends. */
export async function lockLogState(on: Connection, roomId: string): Promise<HeldFacts> {
  const [row] = await lock.run(on, [roomId])
  if (!row) return { room: undefined, lastEntry: 0n }
  const { roomSeq, factId, factEntry } = row
  return { room: { ...toHeader(row), roomSeq, factId }, lastEntry: factEntry }
}

/** Creates and locks the row of the room. If a concurrent transaction has created it, returns its state. */
export async function insertLog(on: Connection, roomId: string): Promise<HeldFacts> {
  await insert.run(on, [roomId])
  return lockLogState(on, roomId)
}

const members = statement<{ userId: string }>(
  'read_members_among',
  'select user_id as "userId" from line_members where room_id = $1 and user_id = any ($2::text[]) and member',
)

export async function findMembersAmong(on: Connection, roomId: string, userIds: string[]): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  return new Set((await members.run(on, [roomId, userIds])).map(({ userId }) => userId))
}

/**
 * $1 room, $2 to $9 version, last place, last fact, kind, group, universal, archived, name; $10 participants; $11 to
 * $15 rows of the timeline; $16 to $18 members; $19 to $22 bans; $23 to $27 entries of the outbox. Members and bans
 * contain each user at most once.
 */
const apply = statement<{ id: bigint }>(
  'apply_facts',
  `
with event as (
  insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at)
  select $1, seq, event_id, kind::room_event_kind, true, actor_id, created_at
  from unnest($11::bigint[], $12::text[], $13::text[], $14::text[], $15::timestamptz[])
    as e (seq, event_id, kind, actor_id, created_at)
), member as (
  insert into line_members (room_id, user_id, member, version)
  select $1, user_id, member, version from unnest($16::text[], $17::boolean[], $18::bigint[]) as m (user_id, member, version)
  on conflict (room_id, user_id) do update set member = excluded.member, version = excluded.version
), ban as (
  insert into line_bans (room_id, user_id, banned, expires_at, version)
  select $1, user_id, banned, expires_at, version
  from unnest($19::text[], $20::boolean[], $21::timestamptz[], $22::bigint[]) as b (user_id, banned, expires_at, version)
  on conflict (room_id, user_id) do update
  set banned = excluded.banned, expires_at = excluded.expires_at, version = excluded.version
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $23::integer, $24, subject, event_id, payload
  from unnest($25::text[], $26::text[], $27::bytea[]) with ordinality as o (subject, event_id, payload, n) order by n
  returning id
), line as (
  update room_lines
  set version = $2, room_seq = $3, fact_id = $4, kind = $5::room_kind, group_id = $6, universal = $7, archived = $8,
    name = $9, participant_ids = $10::text[], fact_entry = (select max(id) from entry)
  where room_id = $1
)
select id from entry order by id`,
)

export type TimedStep = { step: Step; at: Date; event: OutgoingEvent }

export async function storeFacts(on: Connection, roomId: string, steps: readonly TimedStep[]): Promise<bigint[]> {
  const last = steps.at(-1)?.step.room
  const entries = steps.map(({ event }) => toOutboxRow(event))
  const [first] = entries
  if (!last || !first) return []
  const stored = await apply.run(on, [
    ...[roomId, last.version, last.roomSeq, last.factId, roomKindName(last.kind), last.groupId],
    ...[last.universal, last.archived, last.name, last.participantIds],
    ...columns(steps.flatMap(toTimelineRow), 5),
    ...columns(lastRowByUser(steps.flatMap(toMemberRows)), 3),
    ...columns(lastRowByUser(steps.flatMap(toBanRow)), 4),
    ...[first.shard, first.aggregate],
    ...columns(
      entries.map(({ subject, eventId, payload }) => [subject, eventId, payload]),
      3,
    ),
  ])
  return stored.map(({ id }) => id)
}

type Row = readonly unknown[]

const columns = (rows: readonly Row[], count: number): unknown[][] =>
  Array.from({ length: count }, (_, index) => rows.map((row) => row[index]))

const lastRowByUser = (rows: readonly Row[]): Row[] => [...new Map(rows.map((row) => [row[0], row])).values()]

function toTimelineRow({ step, at }: TimedStep): Row[] {
  const kind = roomEventKind.enumValues.find((value) => value === step.clientEvent)
  return kind ? [[step.room.roomSeq, step.fact.eventId, kind, step.aboutUserId ?? step.fact.actorId, at]] : []
}

const toMemberRows = ({ step: { members, fact } }: TimedStep): Row[] =>
  members.map(({ userId, member }) => [userId, member, fact.version])

function toBanRow({ step: { ban, fact } }: TimedStep): Row[] {
  if (!ban) return []
  return [[ban.userId, ban.banned, ban.expiresAt ? timestampDate(ban.expiresAt) : null, fact.version]]
}
