import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { deleteAnswersOf } from '@parley/service'
import type { Standing } from '../policy/standing.ts'
import { noNames } from './people.ts'
import { people, roomBans, roomFacts, roomMembers } from './schema.ts'

export async function findRoomsWithStanding(reader: Reader, userId: string, limit: number): Promise<string[]> {
  const rows = await sqlRows<{ roomId: string }>(
    reader,
    sql`select room_id as "roomId" from room_members where user_id = ${userId} and member
        union select room_id from room_bans where user_id = ${userId} limit ${limit}`,
  )
  return rows.map(({ roomId }) => roomId)
}

/** A user's standing according to the facts: a ban past its expiry counts until a fact ends it. */
export async function findStanding(tx: Tx, roomId: string, userId: string): Promise<Standing> {
  const [member] = await tx
    .select({ member: roomMembers.member })
    .from(roomMembers)
    .where(and(eq(roomMembers.roomId, roomId), eq(roomMembers.userId, userId)))
  const [ban] = await tx
    .select({ banned: roomBans.banned })
    .from(roomBans)
    .where(and(eq(roomBans.roomId, roomId), eq(roomBans.userId, userId)))
  return { member: member?.member ?? false, banned: ban?.banned ?? false }
}

/** Also deletes the reasons of earlier bans of the user in the room, and of their ends. */
export async function deleteBan(tx: Tx, roomId: string, userId: string): Promise<void> {
  const deleted = await tx.delete(roomBans).where(and(eq(roomBans.roomId, roomId), eq(roomBans.userId, userId)))
  if (deleted.rowCount === 0) return
  const about = sql`position(convert_to(${userId}, 'UTF8') in ${roomFacts.fact}) > 0`
  await tx
    .update(roomFacts)
    .set({ reason: null })
    .where(and(eq(roomFacts.roomId, roomId), isNotNull(roomFacts.reason), about))
}

/** Deletes stored responses and clears the row in `people`. Returns the number of rows. */
export async function eraseRowsOf(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const answers = await deleteAnswersOf(db, userId, signal)
  const tombstone = { ...noNames, roleIds: [], deleted: true }
  const cleared = await db
    .update(people)
    .set(tombstone)
    .where(and(eq(people.userId, userId), eq(people.deleted, false)))
  return answers + (cleared.rowCount ?? 0)
}
