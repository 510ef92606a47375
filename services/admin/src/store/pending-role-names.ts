import type { Db, Reader, Tx } from '@parley/postgres'
import { and, asc, eq, lt } from 'drizzle-orm'
import { pendingRoleNames } from './schema.ts'

export type PendingRoleName = typeof pendingRoleNames.$inferSelect

const { roleId, name, state, since } = pendingRoleNames

/** Records, before the call to accounts, that a name may become reserved for a role that is never created. */
export async function notePending(db: Reader, pending: PendingRoleName): Promise<void> {
  await db.insert(pendingRoleNames).values(pending)
}

/** Called in the transaction that creates the role; returns false if its name has been released. */
export async function takeReserved(tx: Tx, id: string): Promise<boolean> {
  const taken = await tx
    .delete(pendingRoleNames)
    .where(and(eq(roleId, id), eq(state, 'reserved')))
    .returning()
  return taken.length > 0
}

/** Marks the name as released, so that the role cannot be created. Does nothing if it was created. */
export async function giveUp(db: Db, id: string): Promise<void> {
  await db.update(pendingRoleNames).set({ state: 'given_up' }).where(eq(roleId, id))
}

/** Releases names that were reserved before that time and never became roles. */
export async function giveUpOlder(db: Db, before: Date): Promise<void> {
  await db
    .update(pendingRoleNames)
    .set({ state: 'given_up' })
    .where(and(eq(state, 'reserved'), lt(since, before)))
}

/** Names to release: all, or the given one. */
export async function listGivenUp(db: Db, about: { name?: string; roleId?: string } = {}): Promise<PendingRoleName[]> {
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

export async function forgetPending(db: Db, id: string): Promise<void> {
  await db.delete(pendingRoleNames).where(and(eq(roleId, id), eq(state, 'given_up')))
}
