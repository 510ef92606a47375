import { eq, inArray } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { emailKey } from '../domain/email.ts'
import { emails } from './schema.ts'

/** Records an address as verified; answers whose it is, which may be someone else's already. */
export async function claimEmail(tx: Tx, userId: string, address: string, at: Date): Promise<string> {
  const key = emailKey(address)
  await tx.insert(emails).values({ key, address, userId, verifiedAt: at }).onConflictDoNothing()
  const [owner] = await tx.select({ userId: emails.userId }).from(emails).where(eq(emails.key, key))
  return owner?.userId ?? userId
}

/** Accounts that hold one of these addresses. */
export async function holdersOf(db: Reader, addresses: readonly string[]): Promise<string[]> {
  if (addresses.length === 0) return []
  const rows = await db
    .selectDistinct({ userId: emails.userId })
    .from(emails)
    .where(inArray(emails.key, addresses.map(emailKey)))
  return rows.map((row) => row.userId)
}
