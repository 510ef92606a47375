import type { EventPreparation } from '@parley/events'
import { takeRoleFromAll } from '../actions/accounts/take-role.ts'
import type { Context } from '../context.ts'

/** Takes a deleted role from its holders, in transactions of its own: there may be many of them. */
export function onPolicyChanged(ctx: Context): EventPreparation {
  return async ({ actorId, fact }) => {
    if (fact.case !== 'policy') return undefined
    for (const roleId of fact.value.deletedRoleIds) await takeRoleFromAll(ctx, roleId, actorId)
    return undefined
  }
}
