import { ownerRoleId } from '@parley/permissions'
import { assignRoleTo } from '../actions/accounts/assign-role-to.ts'
import type { Context } from '../context.ts'
import { logOwnerAppointed } from '../metrics.ts'
import { findUsersByProvenAddress } from '../store/emails.ts'
import { findUsers } from '../store/users.ts'

/**
 * Gives the role owner to accounts that have proven an owner address of the configuration. This is for addresses that
 * were added to the configuration after the account had proven them.
 */
export async function appointOwners(ctx: Context): Promise<void> {
  const holders = await findUsers(
    ctx.db,
    await findUsersByProvenAddress(ctx.db, [...ctx.config.ownerEmails, ...ctx.config.moreOwnerEmails]),
  )
  for (const { id, roleIds } of holders) {
    if (roleIds.includes(ownerRoleId)) continue
    await assignRoleTo(ctx, id, ownerRoleId, '')
    logOwnerAppointed(id)
  }
}
