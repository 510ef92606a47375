import { sqlRows, type Db, type Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { allShards } from '../domain/shards.ts'

/** Makes the rows that writers hold; harmless when they are there. */
export async function makeShards(db: Db): Promise<void> {
  await db.execute(sql`
    insert into notification_shards (shard, version)
    select shard, 0 from unnest(${sql.param([...allShards])}::integer[]) shard
    on conflict do nothing`)
}

/**
 * Holds shards until the transaction ends, always in the same order, so that nobody waits in a circle. What is read
 * afterwards is what the holders before have left.
 */
export async function holdShards(tx: Tx, shards: readonly number[]): Promise<void> {
  if (shards.length === 0) return
  await tx.execute(sql`
    select from notification_shards where shard = any(${sql.param([...shards])}::integer[])
    order by shard for no key update`)
}

/** Raises the version of a shard that is held. */
export async function raiseShard(tx: Tx, shard: number): Promise<bigint> {
  const [row] = await sqlRows<{ version: bigint }>(
    tx,
    sql`update notification_shards set version = version + 1 where shard = ${shard} returning version`,
  )
  if (!row) throw new Error('the shards are made at the start')
  return row.version
}
