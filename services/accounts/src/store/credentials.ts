import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { credentials, users } from './schema.ts'

export type NewCredential = typeof credentials.$inferInsert

export type ValidCredential = {
  digest: Buffer
  credentialId: string
  userId: string
  freshUntil: Date | null
  expiresAt: Date
  rotatedAt: Date | null
  /** When this digest was replaced by a newer one; null for the current one. */
  replacedAt: Date | null
  rolesVersion: bigint
  roleIds: string[]
}

export async function insertCredentials(tx: Tx, rows: NewCredential[]): Promise<void> {
  await tx.insert(credentials).values(rows)
}

/** Includes digests that were replaced after `graceFrom`. */
export async function findValidCredentials(
  db: Reader,
  digests: Buffer[],
  now: Date,
  graceFrom: Date,
): Promise<ValidCredential[]> {
  if (digests.length === 0) return []
  // One array parameter, so that the statement is the same for any number of digests.
  const anyDigest = sql`any(${sql.param(digests)}::bytea[])`
  return sqlRows<ValidCredential>(
    db,
    sql`
      select c.matched_digest as digest, c.id as "credentialId", c.user_id as "userId", c.fresh_until as "freshUntil",
             c.expires_at as "expiresAt", u.roles_version as "rolesVersion",
             case when c.kind = 'cookie' then coalesce(c.rotated_at, c.created_at) end as "rotatedAt", c.replaced_at as "replacedAt",
             coalesce((select array_agg(r.role_id order by r.role_id) from user_roles r where r.user_id = u.id), array[]::text[])
               as "roleIds"
      from (
        select digest as matched_digest, null::timestamptz as replaced_at, * from credentials where digest = ${anyDigest}
        union all
        select previous_digest as matched_digest, rotated_at as replaced_at, * from credentials
        where previous_digest = ${anyDigest} and rotated_at > ${graceFrom.toISOString()}
      ) c join users u on u.id = c.user_id
      where c.ended_at is null and c.expires_at > ${now.toISOString()} and c.auth_generation = u.auth_generation and u.deleted_at is null`,
  )
}

export async function findValidById(
  db: Reader,
  ids: readonly string[],
  now: Date,
): Promise<Pick<ValidCredential, 'credentialId' | 'expiresAt'>[]> {
  if (ids.length === 0) return []
  return db
    .select({ credentialId: credentials.id, expiresAt: credentials.expiresAt })
    .from(credentials)
    .innerJoin(users, eq(users.id, credentials.userId))
    .where(
      and(
        inArray(credentials.id, [...ids]),
        isNull(credentials.endedAt),
        gt(credentials.expiresAt, now),
        eq(credentials.authGeneration, users.authGeneration),
        isNull(users.deletedAt),
      ),
    )
}

/** Undefined if the credential has ended, does not exist or belongs to another user. */
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

/** False if the credential has ended or can never be fresh. */
export async function renewFreshness(db: Db, id: string, freshUntil: Date): Promise<boolean> {
  const renewed = await db
    .update(credentials)
    .set({ freshUntil })
    .where(and(eq(credentials.id, id), isNotNull(credentials.freshUntil), isNull(credentials.endedAt)))
  return renewed.rowCount === 1
}

/** Does not change a credential that already expires later. */
export async function storeNewExpiry(db: Db, ids: string[], expiresAt: Date): Promise<void> {
  await db
    .update(credentials)
    .set({ expiresAt })
    .where(and(inArray(credentials.id, ids), lt(credentials.expiresAt, expiresAt)))
}

/** Stores credentials under new digests of the same secrets. Skips locked rows: the next use tries again. */
export async function rekeyCredentials(
  db: Db,
  entries: readonly { previous: Buffer; digest: Buffer }[],
): Promise<void> {
  if (entries.length === 0) return
  const moves = sql.join(
    entries.map(({ previous, digest }) => sql`(${previous}::bytea, ${digest}::bytea)`),
    sql`, `,
  )
  await db.execute(sql`
    with moves (previous, digest) as (values ${moves}),
         free as (
           select c.id, m.digest from credentials c join moves m on c.digest = m.previous
           where c.ended_at is null for update of c skip locked
         )
    update credentials set digest = free.digest from free where credentials.id = free.id`)
}

/**
 * Does nothing unless the session got its current cookie before `due` and is still valid. Of several concurrent calls,
 * one returns true.
 */
export async function rotateSession(
  db: Db,
  digest: Buffer,
  next: { digest: Buffer; now: Date; due: Date; expiresAt: Date },
): Promise<boolean> {
  const rotated = await db
    .update(credentials)
    .set({ digest: next.digest, previousDigest: digest, rotatedAt: next.now, expiresAt: next.expiresAt })
    .where(
      and(
        eq(credentials.digest, digest),
        eq(credentials.kind, 'cookie'),
        lt(sql`coalesce(${credentials.rotatedAt}, ${credentials.createdAt})`, next.due),
        isNull(credentials.endedAt),
        gt(credentials.expiresAt, next.now),
        sql`exists (select 1 from users where users.id = ${credentials.userId} and users.deleted_at is null
          and users.auth_generation = ${credentials.authGeneration})`,
      ),
    )
  return rotated.rowCount === 1
}

const isOfSession = (sessionId: string) =>
  or(eq(credentials.sessionId, sessionId), and(isNull(credentials.sessionId), eq(credentials.id, sessionId)))

export async function findCredentialIdsOfClient(tx: Tx, userId: string, clientOrigin: string): Promise<string[]> {
  const rows = await tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.userId, userId), eq(credentials.clientOrigin, clientOrigin), isNull(credentials.endedAt)))
  return rows.map(({ id }) => id)
}

export async function moveToGeneration(
  tx: Tx,
  userId: string,
  ids: readonly string[],
  authGeneration: number,
): Promise<void> {
  await tx
    .update(credentials)
    .set({ authGeneration })
    .where(and(eq(credentials.userId, userId), inArray(credentials.id, [...ids]), isNull(credentials.endedAt)))
}

/** Includes ended credentials. */
export async function findCredentialIdsOfSession(tx: Tx, userId: string, sessionId: string): Promise<string[]> {
  const rows = await tx
    .select({ id: credentials.id })
    .from(credentials)
    .where(and(eq(credentials.userId, userId), isOfSession(sessionId)))
  return rows.map(({ id }) => id)
}

/**
 * Latest expiry first. This is the order of the last use, exact to a day: a use extends a credential at most once a
 * day.
 */
export async function listCredentials(db: Reader, user: { id: string; authGeneration: number }, now: Date) {
  const { id, kind, sessionId, userAgent, createdAt, expiresAt } = credentials
  return db
    .select({ id, kind, sessionId, userAgent, createdAt, expiresAt })
    .from(credentials)
    .where(
      and(
        eq(credentials.userId, user.id),
        isNull(credentials.endedAt),
        gt(credentials.expiresAt, now),
        eq(credentials.authGeneration, user.authGeneration),
      ),
    )
    .orderBy(desc(credentials.expiresAt), desc(credentials.createdAt))
}
