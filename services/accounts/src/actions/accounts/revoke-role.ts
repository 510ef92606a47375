import { type Caller } from '@parley/credentials'
import { ownerRoleId } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertNotLastOwner } from '../deletion/last-owner.ts'
import { auditEvent, announceRolesAgain, rolesChanged } from '../../domain/announcements.ts'
import { ownRoleNotRemovable, userNotFound } from '../../errors.ts'
import { deleteRole } from '../../store/roles.ts'
import { changeUser } from '../../store/user-changes.ts'

const ownRolesToKeep: ReadonlySet<string> = new Set([ownerRoleId, 'admin'])

/**
 * Resolves when the event is on the stream, even if the account lacked the role. Throws `not_found`, and
 * `failed_precondition` for the caller's own role owner or admin and for the last owner.
 */
export async function revokeRole(ctx: Context, userId: string, role: PolicyRole, caller: Caller): Promise<void> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId: caller.userId, at }, async (tx, user) => {
    if (!user.roleIds.includes(role.id)) return announceRolesAgain(user.roleIds)
    if (userId === caller.userId && ownRolesToKeep.has(role.id)) throw ownRoleNotRemovable()
    if (role.id === ownerRoleId) await assertNotLastOwner(tx, userId)
    await deleteRole(tx, userId, role.id)
    const roleIds = user.roleIds.filter((id) => id !== role.id)
    const revoked = auditEvent('rbac_role_revoked', { role_id: role.id, role_name: role.name })
    return {
      raisesRolesVersion: true,
      announce: (version) => [rolesChanged(userId, at, roleIds, version), revoked],
    }
  })
  if (!changed) throw userNotFound()
  await ctx.relay.waitUntilStored(changed.unrelayed)
}
