import type { EventPreparation } from '@parley/events'
import { removeRoleFromAll } from '../actions/accounts/remove-role-from-all.ts'
import type { Context } from '../context.ts'

/**
 * A role may have many holders, so they lose it in batches, before the transaction that records the event as handled.
 */
export function onPolicyChanged(ctx: Context): EventPreparation {
  return async ({ actorId, fact }) => {
    if (fact.case !== 'policy') return undefined
    for (const roleId of fact.value.deletedRoleIds) await removeRoleFromAll(ctx, roleId, actorId)
    return undefined
  }
}
