import type { Context } from '../../context.ts'
import { releaseName, reserveName } from '../../clients/accounts.ts'
import { reportNameNotReleased } from '../../metrics.ts'
import * as pending from '../../store/pending-role-names.ts'

/**
 * Reserves the name of a new role: logins and role names share one namespace, which accounts owns. The intent is stored
 * first, so that the name does not stay reserved if this process dies before the role exists.
 */
export async function reserveRoleName(ctx: Context, roleId: string, name: string): Promise<void> {
  await releaseRoleNames(ctx, { name })
  await pending.insertPending(ctx.db, { roleId, name, state: 'reserved', since: ctx.now() })
  await reserveName(ctx.accounts, roleId, name)
}

/** Releases the name of a role whose creation has failed. Does nothing if the role exists. */
export async function releaseRoleName(ctx: Context, roleId: string): Promise<void> {
  try {
    await pending.markForRelease(ctx.db, roleId)
    await releaseRoleNames(ctx, { roleId })
  } catch (error) {
    reportNameNotReleased(error)
  }
}

/**
 * Releases names of roles that do not exist: all, or the given one. If accounts is unavailable, a job releases them
 * later.
 */
export async function releaseRoleNames(ctx: Context, about: { name?: string; roleId?: string } = {}): Promise<void> {
  for (const { roleId } of await pending.listNamesToRelease(ctx.db, about)) {
    try {
      await releaseName(ctx.accounts, roleId)
      await pending.deletePending(ctx.db, roleId)
    } catch (error) {
      reportNameNotReleased(error)
    }
  }
}
