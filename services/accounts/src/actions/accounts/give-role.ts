import type { Tx } from '@parley/postgres'
import type { OperatorContext } from '../../context.ts'
import { roleAssigned, rolesAgain, rolesChanged } from '../../domain/announcements.ts'
import { insertRole } from '../../store/roles.ts'
import { changeUser, type Change } from '../../store/user-changes.ts'
import type { UserWithRoles } from '../../store/users.ts'

/** Grants a role within the change of a locked account; undefined if the account has it already. */
export async function roleGiven(
  tx: Tx,
  user: UserWithRoles,
  at: Date,
  roleId: string,
  roleName = roleId,
): Promise<Change | undefined> {
  if (!(await insertRole(tx, user.id, roleId))) return undefined
  const held = [...user.roleIds, roleId].sort()
  return {
    changesRoles: true,
    announce: (version) => [rolesChanged(user.id, at, held, version), roleAssigned(roleId, roleName)],
  }
}

/**
 * Grants a role and waits until the event about it is stored. Returns all roles of the account; undefined if there is
 * no such account.
 */
export async function giveRole(
  ctx: OperatorContext,
  userId: string,
  roleId: string,
  actorId: string,
): Promise<string[] | undefined> {
  const at = ctx.now()
  const changed = await changeUser(ctx.db, userId, { actorId, at }, async (tx, user) => {
    const given = await roleGiven(tx, user, at, roleId, ctx.policy.current().roles.get(roleId)?.name)
    return given ?? rolesAgain(user.roleIds)
  })
  if (!changed) return undefined
  await ctx.relay.stored(changed.unannounced)
  return [...new Set([...changed.user.roleIds, roleId])].sort()
}
