import { type Caller } from '@parley/credentials'
import { ownerRoleId } from '@parley/permissions'
import type { PolicyRole } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertNotLastOwner } from '../deletion/last-owner.ts'
import { noted, rolesAgain, rolesChanged } from '../../domain/announcements.ts'
import { ownRoleStays, userUnknown } from '../../errors.ts'
import { deleteRole } from '../../store/roles.ts'
import { changeUser } from '../../store/user-changes.ts'

const rolesOneKeeps: ReadonlySet<string> = new Set([ownerRoleId, 'admin'])

/** Removes a role from an account that has it, and waits until it is no longer in effect anywhere. */
export async function revokeRole(ctx: Context, userId: string, role: PolicyRole, caller: Caller): Promise<void> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId: caller.userId, at }, async (tx, user) => {
    if (!user.roleIds.includes(role.id)) return rolesAgain(user.roleIds)
    if (userId === caller.userId && rolesOneKeeps.has(role.id)) throw ownRoleStays()
    if (role.id === ownerRoleId) await assertNotLastOwner(tx, userId)
    await deleteRole(tx, userId, role.id)
    const held = user.roleIds.filter((id) => id !== role.id)
    const note = noted('rbac_role_revoked', { role_id: role.id, role_name: role.name })
    return {
      changesRoles: true,
      announce: (version) => [rolesChanged(userId, at, held, version), note],
    }
  })
  if (!changed) throw userUnknown()
  await ctx.relay.stored(changed.unannounced)
}
