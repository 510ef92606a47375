import type { Reader, Tx } from '@parley/postgres'
import { asc, eq, inArray } from 'drizzle-orm'
import { blockedUsernames } from './schema.ts'

export async function isBlocked(db: Reader, login: string): Promise<boolean> {
  const found = await db.select().from(blockedUsernames).where(eq(blockedUsernames.username, login.toLowerCase()))
  return found.length > 0
}

export async function filterBlocked(db: Reader, logins: readonly string[]): Promise<Set<string>> {
  if (logins.length === 0) return new Set()
  const keys = logins.map((login) => login.toLowerCase())
  const rows = await db.select().from(blockedUsernames).where(inArray(blockedUsernames.username, keys))
  return new Set(rows.map(({ username }) => username))
}

export async function listBlockedUsernames(db: Reader): Promise<string[]> {
  const rows = await db.select().from(blockedUsernames).orderBy(asc(blockedUsernames.username))
  return rows.map(({ username }) => username).sort()
}

export async function replaceBlockedUsernames(tx: Tx, usernames: readonly string[]): Promise<void> {
  await tx.delete(blockedUsernames)
  if (usernames.length > 0) await tx.insert(blockedUsernames).values(usernames.map((username) => ({ username })))
}
