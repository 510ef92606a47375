import type { Database } from '@parley/postgres'
import type { Position } from '../stream/position.ts'
import type { Lease } from './leases.ts'

type Pool = Database['pool']

export type Entry = {
  id: bigint
  shard: number
  aggregate: string
  subject: string
  eventId: string
  payload: Buffer
}

export type StoredEntry = { entry: Entry; seq: number }

export type ShardPosition = { shard: number; generation: number; position: Position | undefined }

/** Waiting entries. When they were read, all transactions below `oldest` had ended, and `next` was not yet assigned. */
export type Waiting = { entries: Entry[]; oldest: bigint; next: bigint }

type WaitingRow = Pick<Waiting, 'oldest' | 'next'> & (Entry | { id: null })

/** Reads waiting entries with ids of at least `from`, oldest first, without those in flight in this process. */
export async function readWaiting(
  pool: Pool,
  { shards, from, inFlight, limit }: { shards: number[]; from: bigint; inFlight: bigint[]; limit: number },
): Promise<Waiting> {
  const { rows } = await pool.query<WaitingRow>(
    `select pg_snapshot_xmin(now)::text::bigint as oldest, pg_snapshot_xmax(now)::text::bigint as next, o.*
     from pg_current_snapshot() now
     left join lateral (
       select id, shard, aggregate, subject, event_id as "eventId", payload from outbox
       where relayed_at is null and id >= $4 and shard = any($1::int[]) and id <> all($2::bigint[])
       order by id limit $3
     ) o on true
     order by o.id`,
    [shards, inFlight, limit, from],
  )
  const { oldest = 0n, next = 0n } = rows[0] ?? {}
  return { entries: rows.flatMap((row) => (row.id === null ? [] : row)), oldest, next }
}

/**
 * Marks entries as stored and records the newest position of each shard, for shards whose fencing token is still
 * current. Returns these shards.
 */
export async function markRelayed(pool: Pool, leases: Lease[], relayed: StoredEntry[]): Promise<Set<number>> {
  const newest = new Map<number, StoredEntry>()
  for (const one of relayed) {
    const known = newest.get(one.entry.shard)
    if (known === undefined || known.seq <= one.seq) newest.set(one.entry.shard, one)
  }
  const positions = [...newest.values()]
  const result = await pool.query<{ shards: number[] | null }>(
    `with held as (
       select f.shard from outbox_leases l
       join unnest($1::int[], $2::bigint[], $3::text[]) f(shard, fence, holder)
         on l.name = 'shard-' || f.shard and l.fence = f.fence and l.holder = f.holder
       for share of l
     ), placed as (
       update outbox_places p set stream_seq = n.seq, event_id = n.event_id, relayed_at = clock_timestamp()
       from unnest($4::int[], $5::bigint[], $6::text[]) n(shard, seq, event_id) join held using (shard)
       where p.shard = n.shard and (p.stream_seq is null or p.stream_seq < n.seq)
     ), marked as (
       update outbox o set relayed_at = clock_timestamp(), stream_seq = m.seq
       from unnest($7::bigint[], $8::bigint[], $9::int[]) m(id, seq, shard) join held using (shard)
       where o.id = m.id and o.relayed_at is null
     )
     select array_agg(shard) as shards from held`,
    [
      leases.map((lease) => lease.shard),
      leases.map((lease) => lease.fence),
      leases.map((lease) => lease.holder),
      positions.map((one) => one.entry.shard),
      positions.map((one) => one.seq),
      positions.map((one) => one.entry.eventId),
      relayed.map((one) => one.entry.id),
      relayed.map((one) => one.seq),
      relayed.map((one) => one.entry.shard),
    ],
  )
  return new Set(result.rows[0]?.shards ?? [])
}

export async function findWaiting(pool: Pool, ids: bigint[]): Promise<{ id: bigint; shard: number }[]> {
  const result = await pool.query<{ id: bigint; shard: number }>(
    'select id, shard from outbox where id = any($1::bigint[]) and relayed_at is null',
    [ids],
  )
  return result.rows
}

export function idsByShard(entries: readonly { id: bigint; shard: number }[]): Map<number, bigint[]> {
  const groups = new Map<number, bigint[]>()
  for (const { id, shard } of entries) {
    const ids = groups.get(shard)
    if (ids === undefined) groups.set(shard, [id])
    else ids.push(id)
  }
  return groups
}

export async function readPositions(pool: Pool, shards: number[]): Promise<ShardPosition[]> {
  const result = await pool.query<{
    shard: number
    generation: number
    seq: bigint | null
    eventId: string | null
    relayedAt: Date | null
  }>(
    `select shard, generation, stream_seq as seq, event_id as "eventId", relayed_at as "relayedAt"
     from outbox_places where shard = any($1::int[])`,
    [shards],
  )
  return result.rows.map(({ shard, generation, seq, eventId, relayedAt }) => ({
    shard,
    generation,
    position:
      seq === null || eventId === null || relayedAt === null
        ? undefined
        : { seq: Number(seq), eventId, storedAt: relayedAt.getTime() },
  }))
}

/**
 * Marks up to `limit` relayed entries as waiting again, oldest first; returns their number: 0 if the lease was lost.
 */
export async function requeue(pool: Pool, lease: Lease, limit: number): Promise<number> {
  const result = await pool.query(
    `update outbox set relayed_at = null, stream_seq = null
     where exists (select from outbox_leases where name = 'shard-' || $1::int and fence = $2 and holder = $3 for share)
       and id in (select id from outbox where shard = $1 and relayed_at is not null order by id limit $4)`,
    [lease.shard, lease.fence, lease.holder, limit],
  )
  return result.rowCount ?? 0
}

/** Deletes the recorded position of a shard and increments its generation, unless the lease was lost. */
export async function clearPosition(pool: Pool, lease: Lease): Promise<void> {
  await pool.query(
    `update outbox_places set generation = generation + 1, stream_seq = null, event_id = null, relayed_at = null
     where shard = $1 and exists (
       select from outbox_leases where name = 'shard-' || $1::int and fence = $2 and holder = $3 for share)`,
    [lease.shard, lease.fence, lease.holder],
  )
}

/** Parks an event that the stream refused and replaces it in the outbox, unless the lease was lost. */
export async function replaceRefused(
  pool: Pool,
  lease: Lease,
  entry: Entry,
  replacement: { subject: string; payload: Buffer; reason: string },
): Promise<void> {
  await pool.query(
    `with held as (
       select from outbox_leases where name = 'shard-' || $1::int and fence = $2 and holder = $3 for share
     ), parked as (
       insert into parked_events (consumer, event_id, subject, payload, attempts, last_error, parked_at)
       select 'relay', event_id, subject, payload, 1, $7, clock_timestamp()
       from outbox where id = $4 and exists (select from held)
       on conflict (consumer, event_id) do nothing
     )
     update outbox set subject = $5, payload = $6 where id = $4 and exists (select from held)`,
    [lease.shard, lease.fence, lease.holder, entry.id, replacement.subject, replacement.payload, replacement.reason],
  )
}

export type RelayedEntry = { id: bigint; subject: string; seq: number; relayedAt: Date }

export async function hasRelayedBefore(pool: Pool, before: Date): Promise<boolean> {
  const result = await pool.query('select from outbox where relayed_at < $1 limit 1', [before])
  return (result.rowCount ?? 0) > 0
}

/** Reads entries of these shards relayed before a date, oldest first, from after the given entry. */
export async function readRelayed(
  pool: Pool,
  wanted: { shards: number[]; before: Date; after: RelayedEntry | undefined; limit: number },
): Promise<RelayedEntry[]> {
  const { shards, before, after, limit } = wanted
  const { rows } = await pool.query<Omit<RelayedEntry, 'seq'> & { seq: bigint | null }>(
    `select id, subject, stream_seq as seq, relayed_at as "relayedAt" from outbox
     where relayed_at < $1 and shard = any($2::int[]) and ($3::timestamptz is null or (relayed_at, id) > ($3, $4::bigint))
     order by relayed_at, id limit $5`,
    [before, shards, after?.relayedAt ?? null, after?.id ?? null, limit],
  )
  return rows.map((row) => ({ ...row, seq: Number(row.seq ?? 0) }))
}

/** Deletes those of the entries that are relayed; returns their number. */
export async function deleteEntries(pool: Pool, ids: readonly bigint[]): Promise<number> {
  if (ids.length === 0) return 0
  const result = await pool.query(
    `delete from outbox where id in (
       select id from outbox where id = any($1::bigint[]) and relayed_at is not null for update skip locked)`,
    [ids],
  )
  return result.rowCount ?? 0
}

export async function readBacklog(pool: Pool, shards: number[]): Promise<{ entries: number; seconds: number }> {
  const result = await pool.query<{ entries: bigint; seconds: number }>(
    `select count(*) as entries, coalesce(extract(epoch from clock_timestamp() - min(created_at)), 0)::float8 as seconds
     from outbox where relayed_at is null and shard = any($1::int[])`,
    [shards],
  )
  const row = result.rows[0]
  return { entries: Number(row?.entries ?? 0), seconds: row?.seconds ?? 0 }
}

export const consumersWithoutDurable = ['relay', 'handover', 'jobs']

export async function countParkedWithoutDurable(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ consumer: string; count: bigint }>(
    `select consumer, count(*) from parked_events where consumer = any($1::text[]) and parked_at is not null group by 1`,
    [consumersWithoutDurable],
  )
  return new Map(rows.map(({ consumer, count }) => [consumer, Number(count)]))
}
