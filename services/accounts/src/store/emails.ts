import { and, asc, eq, gt, inArray, isNull } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { emailKey } from '../domain/email.ts'
import { emails, users } from './schema.ts'

type Claim = {
  at: Date
  selfAdded: boolean
  unproven?: boolean
}

/**
 * 'held': the account already has the address, which becomes proven unless the claim is `unproven`; 'taken': another
 * account has it.
 */
export async function claimEmail(
  tx: Tx,
  userId: string,
  address: string,
  { at, selfAdded, unproven = false }: Claim,
): Promise<'added' | 'held' | 'taken'> {
  const key = emailKey(address)
  const added = await tx
    .insert(emails)
    .values({ key, address, userId, verifiedAt: at, selfAdded, unproven })
    .onConflictDoNothing()
  if (added.rowCount === 1) return 'added'
  const [holder] = await tx.select({ userId: emails.userId }).from(emails).where(eq(emails.key, key))
  if (holder?.userId !== userId) return 'taken'
  if (!unproven) await tx.update(emails).set({ unproven }).where(eq(emails.key, key))
  return 'held'
}

export async function findVerifiedEmail(
  db: Reader,
  address: string,
): Promise<{ userId: string; address: string; resetMailedAt: Date | null } | undefined> {
  const [holder] = await db
    .select({ userId: emails.userId, address: emails.address, resetMailedAt: users.resetMailedAt })
    .from(emails)
    .innerJoin(users, eq(users.id, emails.userId))
    .where(and(eq(emails.key, emailKey(address)), isNull(users.deletedAt)))
  return holder
}

/** Ignores addresses that only an administrator declared verified. */
export async function findUsersByProvenAddress(db: Reader, addresses: readonly string[]): Promise<string[]> {
  if (addresses.length === 0) return []
  const rows = await db
    .selectDistinct({ userId: emails.userId })
    .from(emails)
    .where(and(inArray(emails.key, addresses.map(emailKey)), eq(emails.unproven, false)))
  return rows.map((row) => row.userId)
}

/** Notices go to these addresses, because an attacker who adds addresses cannot displace them. */
export async function findTenOldestAddresses(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx
    .select({ address: emails.address })
    .from(emails)
    .where(eq(emails.userId, userId))
    .orderBy(asc(emails.verifiedAt), asc(emails.key))
    .limit(10)
  return rows.map(({ address }) => address)
}

export type VerifiedAddress = Pick<typeof emails.$inferSelect, 'key' | 'address' | 'verifiedAt'>

export async function listEmails(db: Reader, userId: string): Promise<VerifiedAddress[]> {
  const { key, address, verifiedAt } = emails
  return db
    .select({ key, address, verifiedAt })
    .from(emails)
    .where(eq(emails.userId, userId))
    .orderBy(asc(verifiedAt), asc(key))
}

/** Returns the address as it was entered when it was added; undefined if the account does not have it. */
export async function removeEmail(tx: Tx, userId: string, address: string): Promise<string | undefined> {
  const [removed] = await tx
    .delete(emails)
    .where(and(eq(emails.userId, userId), eq(emails.key, emailKey(address))))
    .returning()
  return removed?.address
}

/** Only addresses that sessions of the account added. Returns how many were removed. */
export async function removeEmailsAddedSince(tx: Tx, userId: string, since: Date): Promise<number> {
  const isNew = and(eq(emails.userId, userId), eq(emails.selfAdded, true), gt(emails.verifiedAt, since))
  return (await tx.delete(emails).where(isNew)).rowCount ?? 0
}

export async function addressesOf(db: Reader, userIds: readonly string[]): Promise<Map<string, string[]>> {
  const byUser = new Map<string, string[]>()
  if (userIds.length === 0) return byUser
  const rows = await db
    .select({ userId: emails.userId, address: emails.address })
    .from(emails)
    .where(inArray(emails.userId, [...userIds]))
    .orderBy(asc(emails.verifiedAt), asc(emails.key))
  for (const { userId, address } of rows) byUser.set(userId, [...(byUser.get(userId) ?? []), address])
  return byUser
}
