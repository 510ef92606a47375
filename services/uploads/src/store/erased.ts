import { eq } from 'drizzle-orm'
import { erasures } from '@parley/events/schema'
import type { Reader } from '@parley/postgres'

export async function isErased(db: Reader, userId: string): Promise<boolean> {
  const found = await db.select({ pass: erasures.pass }).from(erasures).where(eq(erasures.userId, userId)).limit(1)
  return found.length > 0
}
