import { ownerRoleId } from '@parley/permissions'
import { giveRole } from '../actions/accounts/give-role.ts'
import type { Context } from '../context.ts'
import { ownerGranted } from '../metrics.ts'
import { holdersOf } from '../store/emails.ts'
import { findUsers } from '../store/users.ts'

/** Makes owners of the accounts that hold a listed address already: the list may be newer than they are. */
export async function appointOwners(ctx: Context): Promise<void> {
  const holders = await findUsers(
    ctx.db,
    await holdersOf(ctx.db, [...ctx.config.ownerEmails, ...ctx.config.ownerEmail]),
  )
  for (const { id, roleIds } of holders) {
    if (roleIds.includes(ownerRoleId)) continue
    await giveRole(ctx, id, ownerRoleId, '')
    ownerGranted(id)
  }
}
