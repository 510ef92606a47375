import type { Context } from '../../context.ts'
import { releaseName, reserveName } from '../../clients/accounts.ts'
import { reportNameNotReleased } from '../../metrics.ts'
import * as pending from '../../store/pending-role-names.ts'

/**
 * Reserves the name of a new role: logins and role names share one namespace, which accounts owns. Releases reservations
 * of the name that were given up, and stores the name as pending before reserving it, so that it does not stay reserved
 * if this process dies before the role exists.
 */
export async function reserveRoleName(ctx: Context, roleId: string, name: string): Promise<void> {
  await releaseMarkedNames(ctx, { name })
  await pending.insertPending(ctx.db, { roleId, name, state: 'reserved', since: ctx.now() })
  await reserveName(ctx.accounts, roleId, name)
}

/**
 * Releases the name of a role whose creation has failed. Does nothing if the role exists. Never rejects: what fails is
 * logged, and the job tries again.
 */
export async function giveUpRoleName(ctx: Context, roleId: string): Promise<void> {
  try {
    await pending.markForRelease(ctx.db, roleId)
    await releaseMarkedNames(ctx, { roleId })
  } catch (error) {
    reportNameNotReleased(error)
  }
}

/**
 * Releases the names that are marked for release: all, or those with the given name or role id. Names that cannot be
 * released now are released by a job later.
 */
export async function releaseMarkedNames(ctx: Context, about: { name?: string; roleId?: string } = {}): Promise<void> {
  for (const { roleId } of await pending.listNamesToRelease(ctx.db, about)) {
    try {
      await releaseName(ctx.accounts, roleId)
      await pending.deletePending(ctx.db, roleId)
    } catch (error) {
      reportNameNotReleased(error)
    }
  }
}
