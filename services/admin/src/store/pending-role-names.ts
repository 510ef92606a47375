import type { Db, Reader, Tx } from '@parley/postgres'
import { and, asc, eq, lt } from 'drizzle-orm'
import { pendingRoleNames } from './schema.ts'

export type PendingRoleName = typeof pendingRoleNames.$inferSelect

const { roleId, name, state, since } = pendingRoleNames

/** Call this before the service `accounts` reserves the name, or when the name must be released. */
export async function insertPending(db: Reader, pending: PendingRoleName): Promise<void> {
  await db.insert(pendingRoleNames).values(pending)
}

/**
 * Runs in the transaction that creates the role. False if the name was marked for release: the role must then not be
 * created.
 */
export async function completeReservation(tx: Tx, id: string): Promise<boolean> {
  const completed = await tx
    .delete(pendingRoleNames)
    .where(and(eq(roleId, id), eq(state, 'reserved')))
    .returning()
  return completed.length > 0
}

/** The role can then no longer be created. Does nothing if the role exists. */
export async function markForRelease(db: Db, id: string): Promise<void> {
  await db.update(pendingRoleNames).set({ state: 'given_up' }).where(eq(roleId, id))
}

/** Marks reservations older than `before` whose roles still do not exist. */
export async function markOlderForRelease(db: Db, before: Date): Promise<void> {
  await db
    .update(pendingRoleNames)
    .set({ state: 'given_up' })
    .where(and(eq(state, 'reserved'), lt(since, before)))
}

/** Oldest first: all, or those with the given name or role id. */
export async function listNamesToRelease(
  db: Db,
  about: { name?: string; roleId?: string } = {},
): Promise<PendingRoleName[]> {
  return db
    .select()
    .from(pendingRoleNames)
    .where(
      and(
        eq(state, 'given_up'),
        about.name === undefined ? undefined : eq(name, about.name),
        about.roleId === undefined ? undefined : eq(roleId, about.roleId),
      ),
    )
    .orderBy(asc(since))
}

export async function deletePending(db: Db, id: string): Promise<void> {
  await db.delete(pendingRoleNames).where(and(eq(roleId, id), eq(state, 'given_up')))
}
