import type { MethodImpl } from '@connectrpc/connect'
import { everyoneRoleId } from '@parley/auth'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { policyChanged } from '../../metrics.ts'
import { changePolicy } from '../../store/policy-changes.ts'
import { storeDecision, type DecisionRow } from '../../store/policy.ts'
import { toPolicyDecision } from '../../view/policy.ts'

export function denyPosting(ctx: Context): MethodImpl<typeof AdminInternalService.method.denyPosting> {
  return async (req) => {
    const denial: DecisionRow = {
      scopeKind: 'room',
      scopeId: req.roomId,
      subjectKind: 'role',
      subjectId: everyoneRoleId,
      permission: 'message.post',
      decision: 'deny',
    }
    const change = await changePolicy(ctx.db, { actorId: req.actorId, at: ctx.now() }, async (tx) =>
      (await storeDecision(tx, denial)) ? { decisions: [toPolicyDecision(denial)] } : undefined,
    )
    if (change.changed) policyChanged(change.revision)
    await ctx.relay.stored(change.unannounced)
    return { revision: change.revision }
  }
}
