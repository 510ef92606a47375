import { inArray } from 'drizzle-orm'
import type { Reader } from '@parley/postgres'
import { erasures } from './schema.ts'

/** Whether the account of one of these is being erased, or was. */
export async function isAnyErased(db: Reader, userIds: readonly string[]): Promise<boolean> {
  if (userIds.length === 0) return false
  return (await db.$count(erasures, inArray(erasures.userId, [...userIds]))) > 0
}
