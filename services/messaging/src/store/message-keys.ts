import { sql } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import { statement, type Connection } from './statement.ts'

export type UsedKey = { digest: Buffer; roomId: string; eventId: string }

const find = statement<UsedKey>(
  'find_message_key',
  `select digest, room_id as "roomId", event_id as "eventId" from message_keys
where caller_id = $1 and key = $2 and created_at >= now() - interval '24 hours'`,
)

export async function findMessageKey(on: Connection, callerId: string, key: string): Promise<UsedKey | undefined> {
  return (await find.run(on, [callerId, key]))[0]
}

/** Deletes up to `limit` keys that are older than 24 hours. Returns the number of deleted keys. */
export async function dropOldMessageKeys(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from message_keys where created_at < now() - interval '24 hours' and ctid = any (array(
      select ctid from message_keys where created_at < now() - interval '24 hours' limit ${limit}
    ))`)
  return rowCount ?? 0
}
