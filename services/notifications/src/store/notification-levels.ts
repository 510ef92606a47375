import type { Db, Reader } from '@parley/postgres'
import { asc, eq } from 'drizzle-orm'
import { notificationLevels } from './schema.ts'

export type NotificationLevelRow = typeof notificationLevels.$inferSelect

export async function listNotificationLevels(db: Reader, userId: string): Promise<NotificationLevelRow[]> {
  return db
    .select()
    .from(notificationLevels)
    .where(eq(notificationLevels.userId, userId))
    .orderBy(asc(notificationLevels.roomId))
}

/** Forgets everything a user chose; answers how many rows there were. */
export async function deleteNotificationLevels(db: Db, userId: string): Promise<number> {
  return (await db.delete(notificationLevels).where(eq(notificationLevels.userId, userId))).rowCount ?? 0
}
