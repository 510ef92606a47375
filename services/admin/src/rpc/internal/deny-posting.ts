import type { MethodImpl } from '@connectrpc/connect'
import { everyoneRoleId } from '@parley/permissions'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { permissionDecided } from '../../domain/rbac-events.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { clearDecision, storeDecision, type DecisionRow } from '../../store/policy.ts'
import { toPolicyDecision } from '../../view/policy.ts'

const permission = 'message.post'

export function denyPosting(ctx: Context): MethodImpl<typeof AdminInternalService.method.denyPosting> {
  return async ({ roomId, actorId, withdraw }) => {
    const denial: DecisionRow = {
      ...{ scopeKind: 'room', scopeId: roomId, subjectKind: 'role', subjectId: everyoneRoleId },
      ...{ permission, decision: 'deny' },
    }
    const decision = withdraw ? 'none' : 'deny'
    const { revision } = await changePolicy(ctx, actorId, async (tx) => {
      const changed = withdraw ? await clearDecision(tx, denial) : await storeDecision(tx, denial)
      if (!changed) return { change: undefined, answer: undefined }
      const events = [
        permissionDecided({ roleName: everyoneRoleId }, permission, { kind: 'room', id: roomId }, decision),
      ]
      return { change: { delta: { decisions: [toPolicyDecision(denial, decision)] }, events }, answer: undefined }
    })
    return { revision }
  }
}
