import { and, desc, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { credentials } from './schema.ts'

export type NewCredential = typeof credentials.$inferInsert

/** A credential that holds, with what travels about its user. */
export type ValidCredential = {
  digest: Buffer
  credentialId: string
  userId: string
  freshUntil: Date | null
  expiresAt: Date
  rolesVersion: bigint
  roleIds: string[]
}

export async function insertCredentials(tx: Tx, rows: NewCredential[]): Promise<void> {
  await tx.insert(credentials).values(rows)
}

/** Those of the digests that stand for a credential which has not ended. */
export async function findValidCredentials(db: Reader, digests: Buffer[], now: Date): Promise<ValidCredential[]> {
  if (digests.length === 0) return []
  return sqlRows<ValidCredential>(
    db,
    sql`
      select c.digest, c.id as "credentialId", c.user_id as "userId", c.fresh_until as "freshUntil",
             c.expires_at as "expiresAt", u.roles_version as "rolesVersion",
             coalesce((select array_agg(r.role_id order by r.role_id) from user_roles r where r.user_id = u.id), array[]::text[])
               as "roleIds"
      from credentials c join users u on u.id = c.user_id
      where c.digest in (${sql.join(
        digests.map((digest) => sql`${digest}`),
        sql`, `,
      )})
        and c.ended_at is null and c.expires_at > ${now.toISOString()} and c.auth_generation = u.auth_generation and u.deleted_at is null`,
  )
}

/** When the credential behind a call was proved; undefined when it holds no more. */
export async function findCredentialOf(
  db: Reader,
  caller: { credentialId: string; userId: string },
): Promise<{ freshUntil: Date | null } | undefined> {
  const [found] = await db
    .select({ freshUntil: credentials.freshUntil })
    .from(credentials)
    .where(
      and(eq(credentials.id, caller.credentialId), eq(credentials.userId, caller.userId), isNull(credentials.endedAt)),
    )
  return found
}

/** Answers false when the credential ended meanwhile, or can never be fresh. */
export async function renewFreshness(db: Db, id: string, freshUntil: Date): Promise<boolean> {
  const renewed = await db
    .update(credentials)
    .set({ freshUntil })
    .where(and(eq(credentials.id, id), isNotNull(credentials.freshUntil), isNull(credentials.endedAt)))
  return renewed.rowCount === 1
}

/** Puts off the end of credentials in use; written at most once in a while for each. */
export async function prolongCredentials(db: Db, ids: string[], expiresAt: Date): Promise<void> {
  await db
    .update(credentials)
    .set({ expiresAt })
    .where(and(inArray(credentials.id, ids), lt(credentials.expiresAt, expiresAt)))
}

/** Ends credentials of one user; answers the ids of those that had not ended before. */
export async function endByDigest(tx: Tx, userId: string, digests: Buffer[], at: Date): Promise<string[]> {
  const rows = await tx
    .update(credentials)
    .set({ endedAt: at })
    .where(and(eq(credentials.userId, userId), inArray(credentials.digest, digests), isNull(credentials.endedAt)))
    .returning({ id: credentials.id })
  return rows.map((row) => row.id)
}

/** Whose credentials these are or were. */
export async function usersOfDigests(db: Reader, digests: Buffer[]): Promise<string[]> {
  if (digests.length === 0) return []
  const rows = await db
    .selectDistinct({ userId: credentials.userId })
    .from(credentials)
    .where(inArray(credentials.digest, digests))
  return rows.map((row) => row.userId)
}

export async function endAllOf(tx: Tx, userId: string, at: Date): Promise<void> {
  await tx
    .update(credentials)
    .set({ endedAt: at })
    .where(and(eq(credentials.userId, userId), isNull(credentials.endedAt)))
}

/** Deletes what a user has beyond `keep` credentials, first those whose last use lies furthest back. */
export async function trimCredentials(tx: Tx, userId: string, keep: number): Promise<void> {
  const beyond = tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(eq(credentials.userId, userId))
    .orderBy(desc(credentials.expiresAt), desc(credentials.createdAt), desc(credentials.id))
    .offset(keep)
  await tx.delete(credentials).where(inArray(credentials.id, beyond))
}

/** Deletes up to `atOnce` credentials that are of no use any more; answers how many there were. */
export async function deleteUseless(db: Db, before: { expired: Date; ended: Date }, atOnce: number): Promise<number> {
  const useless = db
    .select({ id: credentials.id })
    .from(credentials)
    .where(or(lt(credentials.expiresAt, before.expired), lt(credentials.endedAt, before.ended)))
    .limit(atOnce)
    .for('update', { skipLocked: true })
  const deleted = await db.delete(credentials).where(inArray(credentials.id, useless))
  return deleted.rowCount ?? 0
}
