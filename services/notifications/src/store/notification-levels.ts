import { deleteInBatches, preparedQuery, type Db, type Reader, type Tx } from '@parley/postgres'
import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import { versionOfNow } from '@parley/events'
import type { StoredLevel } from '../domain/levels.ts'
import { notificationLevels, preferences } from './schema.ts'

export type NotificationLevelRow = typeof notificationLevels.$inferSelect

const levelsOf = preparedQuery('notification_levels_of_user', (reader) =>
  reader
    .select()
    .from(notificationLevels)
    .where(eq(notificationLevels.userId, sql.placeholder('userId')))
    .orderBy(asc(notificationLevels.roomId)),
)

export function listNotificationLevels(db: Reader, userId: string): Promise<NotificationLevelRow[]> {
  return levelsOf(db, { userId })
}

export async function findLevels(db: Reader, userId: string, roomId = ''): Promise<NotificationLevelRow[]> {
  const isOfUser = eq(notificationLevels.userId, userId)
  return db
    .select()
    .from(notificationLevels)
    .where(and(isOfUser, inArray(notificationLevels.roomId, ['', roomId])))
}

/** Stores a level, or deletes it if `level` is undefined. Returns whether anything changed. */
export async function storeLevel(
  tx: Tx,
  { userId, roomId }: { userId: string; roomId: string },
  level: StoredLevel | undefined,
): Promise<boolean> {
  const table = notificationLevels
  const written =
    level === undefined
      ? await tx.delete(table).where(and(eq(table.userId, userId), eq(table.roomId, roomId)))
      : await tx
          .insert(table)
          .values({ userId, roomId, level })
          .onConflictDoUpdate({
            target: [table.userId, table.roomId],
            set: { level },
            setWhere: ne(table.level, level),
          })
  return (written.rowCount ?? 0) > 0
}

/** Raises the version to above `held`; the row stays locked until the transaction ends. */
export async function raiseLevelsVersion(tx: Tx, userId: string, held = 0n): Promise<bigint> {
  const [row] = await tx
    .insert(preferences)
    .values({ userId, version: sql`greatest(${sql.raw(versionOfNow)}, ${held}::bigint + 1)` })
    .onConflictDoUpdate({
      target: preferences.userId,
      set: { version: sql`greatest(${preferences.version}, ${held}::bigint, excluded.version - 1) + 1` },
    })
    .returning({ version: preferences.version })
  if (!row) throw new Error('the upsert did not return a row')
  return row.version
}

export async function getLevelsVersion(reader: Reader, userId: string): Promise<bigint> {
  const { version } = preferences
  const [row] = await reader.select({ version }).from(preferences).where(eq(preferences.userId, userId))
  return row?.version ?? 0n
}

export async function deleteNotificationLevels(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const where = eq(notificationLevels.userId, userId)
  const levels = await deleteInBatches(db, notificationLevels, { where, signal })
  const versions = await db.delete(preferences).where(eq(preferences.userId, userId))
  return levels + (versions.rowCount ?? 0)
}
