import { and, eq } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { oauthConsents } from './schema.ts'

const isConsent = (userId: string, origin: string) =>
  and(eq(oauthConsents.userId, userId), eq(oauthConsents.origin, origin))

export async function hasConsent(db: Reader, userId: string, origin: string): Promise<boolean> {
  return (await db.$count(oauthConsents, isConsent(userId, origin))) > 0
}

export async function grantConsent(tx: Tx, userId: string, origin: string, grantedAt: Date): Promise<void> {
  await tx.insert(oauthConsents).values({ userId, origin, grantedAt }).onConflictDoNothing()
}

export async function withdrawConsent(tx: Tx, userId: string, origin: string): Promise<void> {
  await tx.delete(oauthConsents).where(isConsent(userId, origin))
}
