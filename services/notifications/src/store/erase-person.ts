import type { Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { shardsOf } from '../domain/shards.ts'
import { lockShards } from './shards.ts'

const maxAtOnce = 1000

export async function deleteRowsOf(db: Db, userId: string): Promise<number> {
  let count = 0
  for (const table of [sql`notifications`, sql`read_markers`, sql`departures`]) {
    for (let deleted = maxAtOnce; deleted === maxAtOnce; count += deleted) {
      deleted = await db.transaction(async (tx) => {
        // Transactions that notify the user end before this lock is granted, and later ones see that the user is
        // deleted.
        await lockShards(tx, shardsOf([userId]))
        const result = await tx.execute(sql`
          delete from ${table} where ctid = any(array(
            select ctid from ${table} where user_id = ${userId} limit ${maxAtOnce}
          ))`)
        return result.rowCount ?? 0
      })
    }
  }
  return count
}
