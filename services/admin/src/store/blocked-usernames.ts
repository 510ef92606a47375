import type { Reader } from '@parley/postgres'
import { eq } from 'drizzle-orm'
import { blockedUsernames } from './schema.ts'

export async function isBlocked(db: Reader, login: string): Promise<boolean> {
  const found = await db.select().from(blockedUsernames).where(eq(blockedUsernames.username, login.toLowerCase()))
  return found.length > 0
}
