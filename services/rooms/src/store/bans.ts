import { and, eq, lte, sql } from 'drizzle-orm'
import { CommitChannel, sqlRows, type Reader, type Tx } from '@parley/postgres'
import { roomBans, roomFacts } from './schema.ts'

export type NewBan = {
  id: string
  roomId: string
  userId: string
  moderatorId: string
  reason: string
  expiresAt: Date | null
  version: bigint
  at: Date
}

export const expiringBanChannel = new CommitChannel()

/** Replaces an earlier ban of the user in the room; the facts keep both, with their reasons. */
export async function saveBan(tx: Tx, { at, ...ban }: NewBan): Promise<void> {
  const row = { ...ban, banned: true, createdAt: at, since: at }
  await tx
    .insert(roomBans)
    .values(row)
    .onConflictDoUpdate({ target: [roomBans.roomId, roomBans.userId], set: row })
  await saveReason(tx, ban)
  if (ban.expiresAt) expiringBanChannel.notify(tx)
}

/** `reason`: absent for the system. */
export async function endBan(
  tx: Tx,
  ban: { roomId: string; userId: string; version: bigint; at: Date; reason?: string },
): Promise<void> {
  const { reason } = ban
  if (reason !== undefined) await saveReason(tx, { ...ban, reason })
  await tx
    .update(roomBans)
    .set({ banned: false, version: ban.version, since: ban.at })
    .where(and(eq(roomBans.roomId, ban.roomId), eq(roomBans.userId, ban.userId)))
}

async function saveReason(tx: Tx, fact: { roomId: string; version: bigint; reason: string }): Promise<void> {
  await tx
    .update(roomFacts)
    .set({ reason: fact.reason })
    .where(and(eq(roomFacts.roomId, fact.roomId), eq(roomFacts.version, fact.version)))
}

/** Version of the fact that banned the user; undefined without a ban, or if a later fact ended it. */
export async function findBanVersion(reader: Reader, roomId: string, userId: string): Promise<bigint | undefined> {
  const [ban] = await reader
    .select({ version: roomBans.version })
    .from(roomBans)
    .where(and(eq(roomBans.roomId, roomId), eq(roomBans.userId, userId), eq(roomBans.banned, true)))
  return ban?.version
}

const isToEnd = and(eq(roomBans.banned, true), lte(roomBans.expiresAt, sql`now()`))

/** Bans with an expiry that no fact has ended yet, by expiry. `msLeft`: negative after the expiry. */
export function findNextBanEnds(
  reader: Reader,
  limit: number,
): Promise<{ roomId: string; userId: string; msLeft: number }[]> {
  return sqlRows(
    reader,
    sql`select room_id as "roomId", user_id as "userId",
          (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as "msLeft"
        from ${roomBans} where banned and expires_at is not null order by expires_at limit ${limit}`,
  )
}

export async function isBanToEnd(reader: Reader, roomId: string, userId: string): Promise<boolean> {
  const found = await reader
    .select({ userId: roomBans.userId })
    .from(roomBans)
    .where(and(eq(roomBans.roomId, roomId), eq(roomBans.userId, userId), isToEnd))
  return found.length > 0
}
