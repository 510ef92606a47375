import { sqlRows, type Db, type Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { versionOfNow } from '@parley/events'
import { allShards } from '../domain/shards.ts'

export async function createShards(db: Db): Promise<void> {
  await db.execute(sql`
    insert into notification_shards (shard, version)
    select shard, 0 from unnest(${sql.param([...allShards])}::integer[]) shard
    on conflict do nothing`)
}

/**
 * Locks shards until the transaction ends, always in the same order to avoid deadlocks. Later reads see what previous
 * holders committed.
 */
export async function lockShards(tx: Tx, shards: readonly number[]): Promise<void> {
  if (shards.length === 0) return
  await tx.execute(sql`
    select from notification_shards where shard = any(${sql.param([...shards])}::integer[])
    order by shard for no key update`)
}

/** Assigns to each part the next version of its shard, which must be locked. Parts of one shard keep their order. */
export async function takeVersions<T extends { shard: number }>(
  tx: Tx,
  parts: readonly T[],
): Promise<(T & { version: bigint })[]> {
  if (parts.length === 0) return []
  const shards = parts.map(({ shard }) => shard)
  const rows = await sqlRows<{ shard: number; before: bigint }>(
    tx,
    sql`
    update notification_shards s set version = greatest(s.version, ${sql.raw(versionOfNow)}) + taken.count
    from (select shard, count(*) from unnest(${sql.param(shards)}::integer[]) shard group by shard) taken
    where s.shard = taken.shard returning s.shard, s.version - taken.count as before`,
  )
  const versions = new Map(rows.map(({ shard, before }) => [shard, before]))
  return parts.map((part) => {
    const before = versions.get(part.shard)
    if (before === undefined) throw new Error('the row of a shard is missing')
    versions.set(part.shard, before + 1n)
    return { ...part, version: before + 1n }
  })
}
