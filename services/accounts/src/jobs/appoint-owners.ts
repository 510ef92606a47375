import { ownerRoleId } from '@parley/permissions'
import { giveRole } from '../actions/accounts/give-role.ts'
import type { Context } from '../context.ts'
import { ownerGranted } from '../metrics.ts'
import { holdersOf } from '../store/emails.ts'
import { findUsers } from '../store/users.ts'

/** Makes accounts owners that already have a listed address, because the list may be newer than the accounts. */
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
