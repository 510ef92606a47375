import { and, asc, eq, isNull } from 'drizzle-orm'
import { enqueue, nextVersion, type OutgoingEvent } from '@parley/events'
import { CommitChannel, type Db, type Tx } from '@parley/postgres'
import { outbox } from './schema.ts'
import { lockUser, raiseVersion, type UserRow, type UserWithRoles } from './users.ts'

/** {@link changeUser} adds aggregate, version, time and actor. */
export type Announcement = Pick<OutgoingEvent, 'id' | 'kind' | 'fact' | 'deliveries'>
export type Change = {
  set?: Partial<Omit<UserRow, 'version' | 'rolesVersion'>>
  raisesRolesVersion?: boolean
  announce: (version: bigint) => Announcement[]
}
export type Changed = {
  user: UserWithRoles
  /** With `set` applied; versions and roles are those from before. */
  after: UserWithRoles
  isChanged: boolean
  /** Outbox entries that are not on the stream yet, from this change and earlier ones. */
  unrelayed: bigint[]
}

/** Wakes the job that clears expired custom statuses. */
export const statusExpiries = new CommitChannel()

/**
 * Changes an account while its row is locked, so that the versions of its events ascend in commit order. `decide`
 * returns undefined if there is nothing to change. Resolves with undefined if there is no such account, or it is
 * deleted.
 */
export async function changeUser(
  db: Db,
  userId: string,
  by: { actorId: string; at: Date },
  decide: (tx: Tx, user: UserWithRoles) => Promise<Change | undefined>,
): Promise<Changed | undefined> {
  return db.transaction(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user || user.deletedAt) return undefined
    const change = await decide(tx, user)
    if (change) {
      const version = nextVersion(user.version, by.at)
      await raiseVersion(tx, userId, version, {
        ...change.set,
        ...(change.raisesRolesVersion && { rolesVersion: version }),
      })
      if (change.set?.statusExpiresAt) statusExpiries.notify(tx)
      await enqueue(
        tx,
        change.announce(version).map((announcement) => ({
          ...announcement,
          aggregateType: 'user' as const,
          aggregateId: userId,
          version,
          occurredAt: by.at,
          actorId: by.actorId,
        })),
      )
    }
    const after = { ...user, ...change?.set }
    return { user, after, isChanged: change !== undefined, unrelayed: await findUnrelayed(tx, userId) }
  })
}

async function findUnrelayed(tx: Tx, userId: string): Promise<bigint[]> {
  const entries = await tx
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(eq(outbox.aggregate, `user.${userId}`), isNull(outbox.relayedAt)))
    .orderBy(asc(outbox.id))
  return entries.map(({ id }) => id)
}
