import type { Context } from '../../context.ts'
import { releaseName, reserveName } from '../../clients/accounts.ts'
import { reportNameNotReleased } from '../../metrics.ts'
import * as pending from '../../store/pending-role-names.ts'

/**
 * The name is stored as pending before it is reserved, so that it does not stay reserved if this process dies before
 * the role exists.
 */
export async function reserveRoleName(ctx: Context, roleId: string, name: string): Promise<void> {
  await releaseMarkedNames(ctx, { name })
  await pending.insertPending(ctx.db, { roleId, name, state: 'reserved', since: ctx.now() })
  await reserveName(ctx.accounts, roleId, name)
}

/** Does nothing if the role exists. Never rejects: a failure is logged, and a job tries again. */
export async function giveUpRoleName(ctx: Context, roleId: string): Promise<void> {
  try {
    await pending.markForRelease(ctx.db, roleId)
    await releaseMarkedNames(ctx, { roleId })
  } catch (error) {
    reportNameNotReleased(error)
  }
}

/** Releases all marked names, or those with the given name or role id. A job retries after a failure. */
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
