import type { Context } from '../context.ts'
import { rolesChanged } from '../domain/announcements.ts'
import { insertRole } from '../store/roles.ts'
import { changeUser } from '../store/user-changes.ts'

/** Gives a role and waits until every process can know; answers all roles held, undefined when there is no such account. */
export async function giveRole(
  ctx: Context,
  userId: string,
  roleId: string,
  actorId: string,
): Promise<string[] | undefined> {
  let held: string[] = []
  const changed = await changeUser(ctx.db, userId, { actorId, at: ctx.now() }, async (tx, user) => {
    held = [...new Set([...user.roleIds, roleId])].sort()
    if (!(await insertRole(tx, userId, roleId))) return undefined
    const version = user.version + 1n
    return { set: { rolesVersion: version }, announce: () => [rolesChanged(held, version)] }
  })
  if (!changed) return undefined
  await ctx.relay.stored(changed.unannounced)
  return held
}
