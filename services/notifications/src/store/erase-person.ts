import type { Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { shardsOf } from '../domain/shards.ts'
import { holdShards } from './shards.ts'

const mostAtOnce = 1000

/** Deletes what a user was told, has read and left; answers how many rows there were. */
export async function deleteTold(db: Db, userId: string): Promise<number> {
  let count = 0
  for (const table of [sql`notifications`, sql`read_markers`, sql`departures`]) {
    for (let deleted = mostAtOnce; deleted === mostAtOnce; count += deleted) {
      deleted = await db.transaction(async (tx) => {
        // Whoever tells the user of something now ends before, or sees that nobody may.
        await holdShards(tx, shardsOf([userId]))
        const result = await tx.execute(sql`
          delete from ${table} where ctid = any(array(
            select ctid from ${table} where user_id = ${userId} limit ${mostAtOnce}
          ))`)
        return result.rowCount ?? 0
      })
    }
  }
  return count
}
