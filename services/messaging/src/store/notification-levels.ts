import { NotificationLevel } from '@parley/contracts/api'
import { sqlRows, type Db, type Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'

type Level = { userId: string; roomId: string; level: NotificationLevel; version: bigint }

/** An empty room id stands for the server. Undefined if no level is stored. */
export async function findLevel(db: Db, { userId, roomId }: Pick<Level, 'userId' | 'roomId'>) {
  const query = sql`select level, version from notification_levels where user_id = ${userId} and room_id = ${roomId}`
  const [held] = await sqlRows<Pick<Level, 'level' | 'version'>>(db, query)
  return held && { heldLevel: held.level, heldVersion: held.version }
}

/** Stores only a newer level, and none of a deleted user. */
export async function storeLevel(tx: Db | Tx, { userId, roomId, level, version }: Level): Promise<void> {
  await tx.execute(sql`
    insert into notification_levels (user_id, room_id, level, version)
    select ${userId}, ${roomId}, ${level}::smallint, ${version}::bigint
    where not exists (select from erasures where user_id = ${userId})
    on conflict (user_id, room_id) do update set level = excluded.level, version = excluded.version
    where notification_levels.version < excluded.version`)
}

/** SQL condition: the user has muted the room. The level of the room decides or, without one, that of the server. */
export const isMuted = (user: string, room: string): string =>
  `(coalesce(${levelOf(user, room)}, ${levelOf(user, `''`)}, 0) = ${NotificationLevel.MUTED})`

const levelOf = (user: string, room: string): string => `(
  select nullif(level, ${NotificationLevel.DEFAULT}) from notification_levels
  where user_id = ${user} and room_id = ${room}
)`
