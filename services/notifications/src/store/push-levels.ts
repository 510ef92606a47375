import { sqlRows, type Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { StoredLevel } from '../domain/levels.ts'

export type ChosenLevels = { userId: string; roomId: string; room: StoredLevel | null; server: StoredLevel | null }

export function findChosenLevels(
  db: Db,
  pairs: readonly { userId: string; roomId: string }[],
): Promise<ChosenLevels[]> {
  const rows = JSON.stringify(pairs.map(({ userId, roomId }) => ({ userId, roomId })))
  return sqlRows(
    db,
    sql`
    select p."userId", p."roomId", r.level as room, s.level as server
    from jsonb_to_recordset(${rows}::jsonb) as p("userId" text, "roomId" text)
    left join notification_levels r on r.user_id = p."userId" and r.room_id = p."roomId"
    left join notification_levels s on s.user_id = p."userId" and s.room_id = ''
    where r.level is not null or s.level is not null`,
  )
}
