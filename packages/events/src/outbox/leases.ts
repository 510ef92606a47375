import type { Database } from '@parley/postgres'
import { shardCount } from './shards.ts'

type Pool = Database['pool']

const leaseMs = 2500

/** The right to relay one shard, until `validUntil` by this process's monotonic clock. `fence` is the fencing token. */
export type Lease = {
  shard: number
  holder: string
  fence: bigint
  /** `performance.now()` from which nothing may be published; computed before the statement that renewed the lease. */
  validUntil: number
}

export const isValid = (lease: Lease): boolean => performance.now() < lease.validUntil

export async function prepareShards(pool: Pool): Promise<void> {
  await pool.query(
    `with shards as (select generate_series(0, $1::int - 1) as shard), places as (
       insert into outbox_places (shard) select shard from shards on conflict do nothing
     )
     insert into outbox_leases (name, holder, fence, expires_at)
     select 'shard-' || shard, '', 0, '-infinity' from shards on conflict do nothing`,
    [shardCount],
  )
}

/**
 * Records that this relay is alive and renews its leases. `relays` includes this one; `free` counts the shards whose
 * lease had expired before, also if it was this relay's; `lost` are the leases that others have taken; `nextFreeMs` is
 * Infinity if no other relay holds a lease.
 */
export async function renewLeases(
  pool: Pool,
  holder: string,
  leases: Lease[],
): Promise<{ relays: number; free: number; nextFreeMs: number; lost: Lease[] }> {
  const sentAt = performance.now()
  const result = await pool.query<{ shards: number[] | null; others: bigint; free: bigint; nextFreeMs: number | null }>(
    `with alive as (
       insert into outbox_leases (name, holder, fence, expires_at)
       values ('relay-' || $1, $1, 0, clock_timestamp() + $2::int * interval '1 ms')
       on conflict (name) do update set expires_at = excluded.expires_at
     ), renewed as (
       update outbox_leases l set expires_at = clock_timestamp() + $2::int * interval '1 ms'
       from unnest($3::int[], $4::bigint[]) f(shard, fence)
       where l.name = 'shard-' || f.shard and l.fence = f.fence and l.holder = $1
       returning f.shard
     )
     select (select array_agg(shard) from renewed) as shards,
       count(*) filter (where name like 'relay-%' and name <> 'relay-' || $1 and expires_at > clock_timestamp()) as others,
       count(*) filter (where name like 'shard-%' and expires_at < now()) as free,
       extract(epoch from min(expires_at) filter (
         where name like 'shard-%' and holder <> $1 and expires_at >= now()) - now())::float8
         * 1000 as "nextFreeMs"
     from outbox_leases`,
    [holder, leaseMs, leases.map((lease) => lease.shard), leases.map((lease) => lease.fence)],
  )
  const row = result.rows[0]
  const renewed = new Set(row?.shards ?? [])
  for (const lease of leases) if (renewed.has(lease.shard)) lease.validUntil = sentAt + leaseMs
  return {
    relays: Number(row?.others ?? 0) + 1,
    free: Number(row?.free ?? 0),
    nextFreeMs: row?.nextFreeMs ?? Infinity,
    lost: leases.filter((lease) => !renewed.has(lease.shard)),
  }
}

export async function takeLeases(pool: Pool, holder: string, limit: number): Promise<Lease[]> {
  const validUntil = performance.now() + leaseMs
  const result = await pool.query<{ shard: number; fence: bigint }>(
    `update outbox_leases
     set holder = $1, fence = fence + 1, expires_at = clock_timestamp() + $2::int * interval '1 ms'
     where name in (
       select name from outbox_leases where name like 'shard-%' and expires_at < clock_timestamp()
       order by random() limit $3 for update skip locked)
     returning substr(name, 7)::int as shard, fence`,
    [holder, leaseMs, limit],
  )
  return result.rows.map(({ shard, fence }) => ({ shard, holder, fence, validUntil }))
}

export async function releaseLeases(pool: Pool, leases: Lease[]): Promise<void> {
  await pool.query(
    `update outbox_leases l set expires_at = '-infinity', holder = ''
     from unnest($1::int[], $2::bigint[], $3::text[]) f(shard, fence, holder)
     where l.name = 'shard-' || f.shard and l.fence = f.fence and l.holder = f.holder`,
    [leases.map((lease) => lease.shard), leases.map((lease) => lease.fence), leases.map((lease) => lease.holder)],
  )
}

export async function leave(pool: Pool, holder: string): Promise<void> {
  await pool.query(
    `delete from outbox_leases
     where name = 'relay-' || $1 or (name like 'relay-%' and expires_at < clock_timestamp() - interval '1 minute')`,
    [holder],
  )
}
