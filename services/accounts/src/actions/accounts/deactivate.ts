import { ownerRoleId } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { endAllAccess } from '../credentials/end-all-access.ts'
import { assertNotLastOwner } from '../deletion/last-owner.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { userNotFound } from '../../errors.ts'
import { reportCredentialsEnded } from '../../metrics.ts'
import { deleteInvitesOf } from '../../store/invites.ts'
import { changeUser } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'

type ActorOptions = { actorId: string; assertAllowed: (user: UserWithRoles) => void }

/**
 * Also deletes the invites that the account created. Resolves once the event that ends its credentials is on the
 * stream. Throws `not_found`, and `failed_precondition` for the last owner.
 */
export async function deactivate(
  ctx: Context,
  userId: string,
  { actorId, assertAllowed }: ActorOptions,
): Promise<void> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    assertAllowed(user)
    if (user.deactivatedAt) return undefined
    if (user.roleIds.includes(ownerRoleId)) await assertNotLastOwner(tx, userId)
    const end = await endAllAccess(tx, user, 'account_deactivated', at)
    const invites = await deleteInvitesOf(tx, userId)
    return {
      set: { ...end.set, deactivatedAt: at },
      announce: (version) => [
        auditEvent('user_account_deactivated'),
        ...end.announce(version),
        ...invites.map((id) => auditEvent('invite_revoked', { invite_id: id })),
      ],
    }
  })
  if (!changed) throw userNotFound()
  await ctx.relay.waitUntilStored(changed.unrelayed)
  if (changed.isChanged) reportCredentialsEnded(userId, 'account_deactivated')
}

export async function reactivate(
  ctx: Context,
  userId: string,
  { actorId, assertAllowed }: ActorOptions,
): Promise<void> {
  const changed = await changeUser(ctx.db, userId, { actorId, at: ctx.now() }, async (_, user) => {
    assertAllowed(user)
    if (!user.deactivatedAt) return undefined
    return { set: { deactivatedAt: null }, announce: () => [auditEvent('user_account_reactivated')] }
  })
  if (!changed) throw userNotFound()
  ctx.relay.wake(changed.unrelayed)
}
