import type { Context } from '../../context.ts'
import { releaseName, reserveName } from '../../clients/accounts.ts'
import { nameNotReleased } from '../../metrics.ts'
import * as pending from '../../store/pending-role-names.ts'

/**
 * Takes the name for a role that is about to be made: logins and names of roles share one space, which accounts keeps. What
 * is asked for is written down first, so that a name never stays taken when this process dies before the role is there.
 */
export async function reserveRoleName(ctx: Context, roleId: string, name: string): Promise<void> {
  await releaseRoleNames(ctx, { name })
  await pending.notePending(ctx.db, { roleId, name, state: 'reserved', since: ctx.now() })
  await reserveName(ctx.accounts, roleId, name)
}

/** Gives the name back of a role that was not made, now or later. Does nothing for one that was. */
export async function giveUpRoleName(ctx: Context, roleId: string): Promise<void> {
  try {
    await pending.giveUp(ctx.db, roleId)
    await releaseRoleNames(ctx, { roleId })
  } catch (error) {
    nameNotReleased(error)
  }
}

/** Gives names back; what accounts cannot be told now is told later. */
export async function releaseRoleNames(ctx: Context, about: { name?: string; roleId?: string } = {}): Promise<void> {
  for (const { roleId } of await pending.listGivenUp(ctx.db, about)) {
    try {
      await releaseName(ctx.accounts, roleId)
      await pending.forgetPending(ctx.db, roleId)
    } catch (error) {
      nameNotReleased(error)
    }
  }
}
