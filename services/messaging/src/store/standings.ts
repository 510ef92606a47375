import { sqlRows, type Db } from '@parley/postgres'
import { eq, sql } from 'drizzle-orm'
import { roomLines } from './schema.ts'

export type ChangedStanding = { userId: string; member: boolean; banned: boolean; expiresAt: Date | null }
export type HeldRoom = { room: typeof roomLines.$inferSelect; standings: ChangedStanding[] }

const maxStandingsPerCall = 5000

export type Selection = { roomId: string; aboveVersion: bigint; afterUserId: string }

/**
 * Reads the room and, in the same snapshot, up to 5,000 of the selected standings in the order of user ids. Undefined
 * if no fact of the room has been applied.
 */
export function findHeldRoom(db: Db, { roomId, aboveVersion, afterUserId }: Selection): Promise<HeldRoom | undefined> {
  return db.transaction(
    async (tx) => {
      const [room] = await tx.select().from(roomLines).where(eq(roomLines.roomId, roomId))
      if (!room || room.version === 0n) return undefined
      const standings = await sqlRows<ChangedStanding>(
        tx,
        sql`
          select user_id as "userId", coalesce(member, false) as "member", coalesce(banned, false) as "banned",
            expires_at as "expiresAt"
          from (select * from line_members where room_id = ${roomId}) m
          full join (select * from line_bans where room_id = ${roomId}) b using (user_id)
          where greatest(m.version, b.version) > ${aboveVersion}::bigint and user_id > ${afterUserId}
          order by user_id limit ${maxStandingsPerCall}`,
      )
      return { room, standings }
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  )
}
