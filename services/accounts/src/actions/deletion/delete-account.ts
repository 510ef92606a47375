import { ownerRoleId } from '@parley/permissions'
import type { Tx } from '@parley/postgres'
import type { Context } from '../../context.ts'
import { credentialsEnded } from '../../domain/announcements.ts'
import { accountDeleted, erasureRequested } from '../../domain/deletion-announcements.ts'
import { userNotFound } from '../../errors.ts'
import { logAccountDeleted, reportCredentialsEnded } from '../../metrics.ts'
import { eraseBelongings, nothingPersonal } from '../../store/belongings.ts'
import { insertDeletion } from '../../store/deletions.ts'
import { changeUser } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'
import { assertNotLastOwner } from './last-owner.ts'

/**
 * Reduces the account to a tombstone, and asks all services, this one included, to erase its data. Resolves when the
 * events about the deletion are on the stream. `assertAllowed` gets the locked account and may throw. Throws
 * `not_found`, and `failed_precondition` for the last owner.
 */
export async function deleteAccount(
  ctx: Pick<Context, 'db' | 'relay' | 'now'>,
  userId: string,
  actorId: string,
  assertAllowed: (tx: Tx, user: UserWithRoles) => Promise<void> = async () => undefined,
): Promise<void> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    await assertAllowed(tx, user)
    if (user.roleIds.includes(ownerRoleId)) await assertNotLastOwner(tx, userId)
    // The first erasure pass deletes the rows that remain. Credentials among them are invalid, because the account is
    // deleted.
    await eraseBelongings(tx, userId)
    await insertDeletion(tx, userId, at)
    return {
      set: { ...nothingPersonal, authGeneration: user.authGeneration + 1, deletedAt: at },
      raisesRolesVersion: true,
      announce: () => [
        credentialsEnded(userId, at, { credentialIds: [], all: true, reason: 'account_deleted' }),
        accountDeleted(userId, { actorId, at }),
        erasureRequested(1),
      ],
    }
  })
  if (!changed) throw userNotFound()
  await ctx.relay.waitUntilStored(changed.unrelayed)
  logAccountDeleted(userId)
  reportCredentialsEnded(userId, 'account_deleted')
}
