import type { EventPreparation } from '@parley/events'
import { removeRoleFromAll } from '../actions/accounts/remove-role-from-all.ts'
import type { Context } from '../context.ts'

/**
 * Removes deleted roles from their holders. Runs before the event's transaction, in batches, because a role may have
 * many holders.
 */
export function onPolicyChanged(ctx: Context): EventPreparation {
  return async ({ actorId, fact }) => {
    if (fact.case !== 'policy') return undefined
    for (const roleId of fact.value.deletedRoleIds) await removeRoleFromAll(ctx, roleId, actorId)
    return undefined
  }
}
