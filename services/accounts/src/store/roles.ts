import { and, asc, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm'
import { versionOfNow } from '@parley/events'
import { sqlRows, type Reader, type Tx } from '@parley/postgres'
import { userRoles, users } from './schema.ts'
import { findUsers, userColumns, type UserWithRoles } from './users.ts'

export async function insertRole(tx: Tx, userId: string, roleId: string): Promise<boolean> {
  const inserted = await tx.insert(userRoles).values({ userId, roleId }).onConflictDoNothing().returning()
  return inserted.length > 0
}

export async function deleteRole(tx: Tx, userId: string, roleId: string): Promise<void> {
  await tx.delete(userRoles).where(and(eq(userRoles.userId, userId), eq(userRoles.roleId, roleId)))
}

/** Taken by BootstrapOwner, and before an owner is deleted, is deactivated or loses the role. */
export async function lockOwnerCount(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('parley: first owner'))`)
}

export async function findOldestHolder(db: Reader, roleId: string): Promise<{ id: string; login: string } | undefined> {
  const [holder] = await db
    .select({ id: users.id, login: users.login })
    .from(users)
    .innerJoin(userRoles, eq(userRoles.userId, users.id))
    .where(and(eq(userRoles.roleId, roleId), isNull(users.deletedAt)))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(1)
  return holder
}

/** A user other than this one holds the role and can sign in. */
export const isHeldByOtherThan = (roleId: string, userId: SQL): SQL<boolean> => sql<boolean>`exists (
  select from user_roles held join users other on other.id = held.user_id
  where held.role_id = ${roleId} and other.id <> ${userId} and other.deleted_at is null and other.deactivated_at is null
)`

export async function isHeldByAnother(db: Reader, roleId: string, userId: string): Promise<boolean> {
  const [row] = await sqlRows<{ held: boolean }>(db, sql`select ${isHeldByOtherThan(roleId, sql`${userId}`)} as held`)
  return row?.held ?? false
}

export async function findHolders(db: Reader, roleId: string, limit: number): Promise<UserWithRoles[]> {
  return db
    .select(userColumns)
    .from(users)
    .innerJoin(userRoles, eq(userRoles.userId, users.id))
    .where(and(eq(userRoles.roleId, roleId), isNull(users.deletedAt)))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(limit)
}

/** Returns the new rows of up to `limit` holders, with increased versions. */
export async function removeRole(tx: Tx, roleId: string, limit: number): Promise<UserWithRoles[]> {
  const holders = await tx
    .select({ id: users.id })
    .from(users)
    .innerJoin(userRoles, eq(userRoles.userId, users.id))
    .where(eq(userRoles.roleId, roleId))
    .orderBy(asc(users.id))
    .limit(limit)
    .for('update', { of: users })
  const ids = holders.map(({ id }) => id)
  if (ids.length === 0) return []
  await tx.delete(userRoles).where(and(eq(userRoles.roleId, roleId), inArray(userRoles.userId, ids)))
  const raised = sql`greatest(${users.version} + 1, ${sql.raw(versionOfNow)})`
  await tx.update(users).set({ version: raised, rolesVersion: raised }).where(inArray(users.id, ids))
  return findUsers(tx, ids)
}
