import type { EventPreparation } from '@parley/events'
import { takeRoleFromAll } from '../actions/accounts/take-role.ts'
import type { Context } from '../context.ts'

/** Removes a deleted role from its holders, in separate transactions because there may be many. */
export function onPolicyChanged(ctx: Context): EventPreparation {
  return async ({ actorId, fact }) => {
    if (fact.case !== 'policy') return undefined
    for (const roleId of fact.value.deletedRoleIds) await takeRoleFromAll(ctx, roleId, actorId)
    return undefined
  }
}
