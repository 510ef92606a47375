import type { Db } from '@parley/postgres'
import { and, count, eq, inArray, isNull } from 'drizzle-orm'
import { notifications } from './schema.ts'

export async function countDirectMessages(db: Db, userIds: readonly string[]): Promise<Map<string, number>> {
  const { userId, kind, dismissedAt } = notifications
  const rows = await db
    .select({ userId, pending: count() })
    .from(notifications)
    .where(and(inArray(userId, [...userIds]), eq(kind, 'direct_message'), isNull(dismissedAt)))
    .groupBy(userId)
  return new Map(rows.map((row) => [row.userId, row.pending]))
}
