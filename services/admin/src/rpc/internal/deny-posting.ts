import type { MethodImpl } from '@connectrpc/connect'
import { everyoneRoleId } from '@parley/permissions'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { permissionDecided } from '../../domain/rbac-events.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { storeDecision, type DecisionRow } from '../../store/policy.ts'
import { toPolicyDecision } from '../../view/policy.ts'

const permission = 'message.post'

export function denyPosting(ctx: Context): MethodImpl<typeof AdminInternalService.method.denyPosting> {
  return async ({ roomId, actorId }) => {
    const denial: DecisionRow = {
      ...{ scopeKind: 'room', scopeId: roomId, subjectKind: 'role', subjectId: everyoneRoleId },
      ...{ permission, decision: 'deny' },
    }
    const { revision } = await changePolicy(ctx, actorId, async (tx) => {
      if (!(await storeDecision(tx, denial))) return { change: undefined, answer: undefined }
      const events = [permissionDecided({ roleName: everyoneRoleId }, permission, { kind: 'room', id: roomId }, 'deny')]
      return { change: { delta: { decisions: [toPolicyDecision(denial, 'deny')] }, events }, answer: undefined }
    })
    return { revision }
  }
}
