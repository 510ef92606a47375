import type { MethodImpl } from '@connectrpc/connect'
import { everyoneRoleId } from '@parley/permissions'
import type { AdminInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { permissionDecided } from '../../domain/rbac-events.ts'
import { changePolicy } from '../../actions/roles/change-policy.ts'
import { storeDecision, type DecisionRow } from '../../store/policy.ts'
import { toPolicyDecision } from '../../view/policy.ts'

export function denyEntry(ctx: Context): MethodImpl<typeof AdminInternalService.method.denyEntry> {
  return async ({ roomId }) => {
    const denials = ['room.list', 'room.join'].map((permission): DecisionRow => ({
      ...{ scopeKind: 'room', scopeId: roomId, subjectKind: 'role', subjectId: everyoneRoleId },
      ...{ permission, decision: 'deny' },
    }))
    const { revision } = await changePolicy(ctx, '', async (tx) => {
      const stored: DecisionRow[] = []
      for (const denial of denials) if (await storeDecision(tx, denial)) stored.push(denial)
      if (stored.length === 0) return { change: undefined, answer: undefined }
      const scope = { kind: 'room', id: roomId } as const
      const events = stored.map(({ permission }) =>
        permissionDecided({ roleName: everyoneRoleId }, permission, scope, 'deny'),
      )
      const decisions = stored.map((denial) => toPolicyDecision(denial, 'deny'))
      return { change: { delta: { decisions }, events }, answer: undefined }
    })
    return { revision }
  }
}
