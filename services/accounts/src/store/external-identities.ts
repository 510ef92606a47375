import { and, asc, eq, gt } from 'drizzle-orm'
import type { Reader, Tx } from '@parley/postgres'
import { externalIdentities } from './schema.ts'

export type ExternalIdentity = typeof externalIdentities.$inferSelect

/** The linked identity, with the user id of its account; undefined if it is linked to none. */
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
 * Links an identity and returns undefined. If it is already linked, changes nothing and returns its user. If another
 * identity has the same hash, changes nothing and returns an empty user id.
 */
export async function claimIdentityOrFindHolder(
  tx: Tx,
  identity: ExternalIdentity,
): Promise<{ userId: string } | undefined> {
  const inserted = await tx.insert(externalIdentities).values(identity).onConflictDoNothing().returning()
  if (inserted.length > 0) return undefined
  // If no row has this issuer and subject, the conflict is with another identity that has the same hash.
  return (await findIdentity(tx, identity)) ?? { userId: '' }
}

/** The identities of an account, in the order they were linked. */
export async function identitiesOf(db: Reader, userId: string): Promise<ExternalIdentity[]> {
  return db
    .select()
    .from(externalIdentities)
    .where(eq(externalIdentities.userId, userId))
    .orderBy(asc(externalIdentities.linkedAt), asc(externalIdentities.subjectHash))
}

/** Unlinks an identity of an account and returns it; undefined if the account has none with this hash. */
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

/** Unlinks the identities of an account that were linked after a time; returns the ids of their providers. */
export async function deleteIdentitiesLinkedSince(tx: Tx, userId: string, since: Date): Promise<string[]> {
  const rows = await tx
    .delete(externalIdentities)
    .where(and(eq(externalIdentities.userId, userId), gt(externalIdentities.linkedAt, since)))
    .returning()
  return rows.map(({ providerId }) => providerId)
}
