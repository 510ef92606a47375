import type { Reader } from '@parley/postgres'
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
