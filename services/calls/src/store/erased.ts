import { inArray } from 'drizzle-orm'
import type { Reader } from '@parley/postgres'
import { erasures } from './schema.ts'

export async function listErased(db: Reader, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  const rows = await db
    .select({ userId: erasures.userId })
    .from(erasures)
    .where(inArray(erasures.userId, [...userIds]))
  return rows.map(({ userId }) => userId)
}
