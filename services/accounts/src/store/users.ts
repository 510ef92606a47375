import { and, asc, eq, getTableColumns, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import { preparedQuery, type Reader, type Tx } from '@parley/postgres'
import { couldBeEmail, emailKey } from '../domain/email.ts'
import { couldBeLogin, loginKey } from '../domain/login.ts'
import { accountGone } from '../errors.ts'
import { emails, handles, userRoles, users } from './schema.ts'

export type UserRow = typeof users.$inferSelect
export type UserWithRoles = UserRow & { roleIds: string[] }

export const roleIds = sql<string[]>`coalesce(
  (select array_agg(user_roles.role_id order by user_roles.role_id) from user_roles where user_roles.user_id = users.id),
  array[]::text[])`
export const userColumns = { ...getTableColumns(users), roleIds }

const byIds = preparedQuery('users_by_ids', (reader) =>
  reader
    .select(userColumns)
    .from(users)
    .where(sql`${users.id} = any(${sql.placeholder('ids')})`),
)

/** Tombstones included, in no particular order. */
export async function findUsers(db: Reader, ids: readonly string[]): Promise<UserWithRoles[]> {
  // PostgreSQL rejects NUL, and ids are untrusted input.
  const possible = ids.filter((id) => !id.includes('\0'))
  if (possible.length === 0) return []
  return byIds(db, { ids: possible })
}

export const findUndeletedUsers = async (db: Reader, ids: readonly string[]): Promise<UserWithRoles[]> =>
  (await findUsers(db, ids)).filter(({ deletedAt }) => deletedAt === null)

/** Throws `unauthenticated` if the account does not exist or is deleted. */
export async function getAccount(db: Reader, id: string): Promise<UserWithRoles> {
  const [user] = await findUsers(db, [id])
  if (!user || user.deletedAt) throw accountGone()
  return user
}

export async function findUserByLogin(db: Reader, login: string): Promise<UserWithRoles | undefined> {
  if (!couldBeLogin(login)) return undefined
  const [user] = await db
    .select(userColumns)
    .from(users)
    .innerJoin(handles, eq(handles.ownerId, users.id))
    .where(and(eq(handles.key, loginKey(login)), eq(handles.kind, 'login'), isNull(users.deletedAt)))
  return user
}

export async function findUserByEmail(db: Reader, address: string): Promise<UserWithRoles | undefined> {
  if (!couldBeEmail(address)) return undefined
  const [user] = await db
    .select(userColumns)
    .from(users)
    .innerJoin(emails, eq(emails.userId, users.id))
    .where(and(eq(emails.key, emailKey(address)), isNull(users.deletedAt)))
  return user
}

/** In id order, tombstones included. */
export async function listUsersAfter(db: Reader, after: string, limit: number): Promise<UserWithRoles[]> {
  return db.select(userColumns).from(users).where(gt(users.id, after)).orderBy(asc(users.id)).limit(limit)
}

export async function listStatusEnds(db: Reader, limit: number): Promise<{ id: string; at: Date }[]> {
  const rows = await db
    .select({ id: users.id, at: users.statusExpiresAt })
    .from(users)
    .where(and(isNotNull(users.statusExpiresAt), isNull(users.deletedAt)))
    .orderBy(asc(users.statusExpiresAt))
    .limit(limit)
  return rows.flatMap(({ id, at }) => (at ? { id, at } : []))
}

/** Tombstones included. A caller that changes the account must increase its version. */
export async function lockUser(tx: Tx, id: string): Promise<UserWithRoles | undefined> {
  const [locked] = await tx.select().from(users).where(eq(users.id, id)).for('update')
  if (!locked) return undefined
  const held = await tx.select({ roleId: userRoles.roleId }).from(userRoles).where(eq(userRoles.userId, id))
  return { ...locked, roleIds: held.map((row) => row.roleId).sort() }
}

export async function raiseVersion(tx: Tx, id: string, version: bigint, change: Partial<UserRow> = {}): Promise<void> {
  await tx
    .update(users)
    .set({ ...change, version })
    .where(eq(users.id, id))
}

export async function lockUserCount(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('parley: user count'))`)
}

export async function countUsers(db: Reader): Promise<number> {
  return db.$count(users, isNull(users.deletedAt))
}

/** Throws a unique violation of `handles_pkey` if the login is taken. */
export async function insertUser(tx: Tx, user: typeof users.$inferInsert): Promise<void> {
  await tx.insert(users).values(user)
  await tx.insert(handles).values({ key: loginKey(user.login), kind: 'login', ownerId: user.id })
}

/** Throws a unique violation of `handles_pkey` if the new login is taken. */
export async function renameHandle(tx: Tx, user: { id: string; login: string }, login: string): Promise<void> {
  await tx
    .update(handles)
    .set({ key: loginKey(login) })
    .where(and(eq(handles.key, loginKey(user.login)), eq(handles.kind, 'login'), eq(handles.ownerId, user.id)))
}

export async function hasVerifiedEmail(db: Reader, userId: string): Promise<boolean> {
  return (await db.$count(emails, eq(emails.userId, userId))) > 0
}
