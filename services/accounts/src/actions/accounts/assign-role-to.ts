import type { Tx } from '@parley/postgres'
import type { OperatorContext } from '../../context.ts'
import { roleAssigned, announceRolesAgain, rolesChanged } from '../../domain/announcements.ts'
import { insertRole } from '../../store/roles.ts'
import { changeUser, type Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'

/**
 * Stores the role, and returns the change with which {@link changeUser} announces it; undefined if the account already
 * has the role.
 */
export async function addRole(
  tx: Tx,
  user: UserWithRoles,
  at: Date,
  roleId: string,
  roleName = roleId,
): Promise<Change | undefined> {
  if (!(await insertRole(tx, user.id, roleId))) return undefined
  const roleIds = [...user.roleIds, roleId].sort()
  return {
    raisesRolesVersion: true,
    announce: (version) => [rolesChanged(user.id, at, roleIds, version), roleAssigned(roleId, roleName)],
  }
}

/** Waits until the event is on the stream. Returns the account's role ids; undefined if there is no account. */
export async function assignRoleTo(
  ctx: OperatorContext,
  userId: string,
  roleId: string,
  actorId: string,
): Promise<string[] | undefined> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    const change = await addRole(tx, user, at, roleId, ctx.policy.current().roles.get(roleId)?.name)
    return change ?? announceRolesAgain(user.roleIds)
  })
  if (!changed) return undefined
  await ctx.relay.waitUntilStored(changed.unrelayed)
  return [...new Set([...changed.user.roleIds, roleId])].sort()
}
