import { and, asc, eq, gt } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { externalIdentities } from './schema.ts'

export type ExternalIdentity = typeof externalIdentities.$inferSelect

export async function findIdentity(
  db: Reader,
  { issuer, subject }: Pick<ExternalIdentity, 'issuer' | 'subject'>,
): Promise<ExternalIdentity | undefined> {
  const [identity] = await db
    .select()
    .from(externalIdentities)
    .where(and(eq(externalIdentities.issuer, issuer), eq(externalIdentities.subject, subject)))
  return identity
}

/**
 * Undefined if this call has linked the identity. Otherwise nothing changes: returns the user to whom the identity was
 * already linked, or an empty user id if another identity has the same hash.
 */
export async function claimIdentityOrFindHolder(
  tx: Tx,
  identity: ExternalIdentity,
): Promise<{ userId: string } | undefined> {
  const inserted = await tx.insert(externalIdentities).values(identity).onConflictDoNothing().returning()
  if (inserted.length > 0) return undefined
  return (await findIdentity(tx, identity)) ?? { userId: '' }
}

export async function identitiesOf(db: Reader, userId: string): Promise<ExternalIdentity[]> {
  return db
    .select()
    .from(externalIdentities)
    .where(eq(externalIdentities.userId, userId))
    .orderBy(asc(externalIdentities.linkedAt), asc(externalIdentities.subjectHash))
}

export async function deleteIdentity(
  tx: Tx,
  userId: string,
  subjectHash: string,
): Promise<ExternalIdentity | undefined> {
  const [identity] = await tx
    .delete(externalIdentities)
    .where(and(eq(externalIdentities.userId, userId), eq(externalIdentities.subjectHash, subjectHash)))
    .returning()
  return identity
}

export async function deleteIdentitiesLinkedSince(tx: Tx, userId: string, since: Date): Promise<string[]> {
  const rows = await tx
    .delete(externalIdentities)
    .where(and(eq(externalIdentities.userId, userId), gt(externalIdentities.linkedAt, since)))
    .returning()
  return rows.map(({ providerId }) => providerId)
}
