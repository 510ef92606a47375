import type { Db, Reader, Tx } from '@parley/postgres'
import { and, asc, eq, lt } from 'drizzle-orm'
import { pendingRoleNames } from './schema.ts'

export type PendingRoleName = typeof pendingRoleNames.$inferSelect

const { roleId, name, state, since } = pendingRoleNames

/** Records, before the call to accounts, that a name may become reserved for a role that is never created. */
export async function insertPending(db: Reader, pending: PendingRoleName): Promise<void> {
  await db.insert(pendingRoleNames).values(pending)
}

/**
 * Ends the reservation in the transaction that creates the role. Returns false if the name is already marked for
 * release.
 */
export async function completeReservation(tx: Tx, id: string): Promise<boolean> {
  const completed = await tx
    .delete(pendingRoleNames)
    .where(and(eq(roleId, id), eq(state, 'reserved')))
    .returning()
  return completed.length > 0
}

/** Marks the name for release, so that the role can no longer be created. Does nothing if the role was created. */
export async function markForRelease(db: Db, id: string): Promise<void> {
  await db.update(pendingRoleNames).set({ state: 'given_up' }).where(eq(roleId, id))
}

/** Marks names for release that were reserved before this time for roles that were never created. */
export async function markOlderForRelease(db: Db, before: Date): Promise<void> {
  await db
    .update(pendingRoleNames)
    .set({ state: 'given_up' })
    .where(and(eq(state, 'reserved'), lt(since, before)))
}

/** Lists the names to release: all, or the given one. */
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
