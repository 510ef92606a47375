import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Permission, Policy } from '@parley/permissions'
import { PermissionDecision, type PermissionDecisionUpdateSchema } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import type { DecisionScope } from '../../domain/decision-scope.ts'
import { permissionDecided } from '../../domain/rbac-events.ts'
import { assertExists, type ResolvedScope } from '../../policy/role-editing.ts'
import { clearDecision, storeDecision, type DecisionKey } from '../../store/policy.ts'
import { toPermissionScope } from '../../view/decision.ts'
import { toPolicyDecision } from '../../view/policy.ts'
import type { PolicyChange } from '../../store/policy-changes.ts'
import { changePolicy } from './change-policy.ts'

export type DecisionHolder = { kind: 'role'; id: string; name: string } | { kind: 'user'; id: string }

export type WantedDecision = {
  permission: Permission
  scope: DecisionScope
  resolved: ResolvedScope
  /** ALLOW or DENY; every other value clears. */
  decision: PermissionDecision
}

/**
 * `findHolder` runs under the lock of the policy and throws if the actor may not decide. Throws `not_found` for a
 * missing group or room, unless a stored decision is cleared.
 */
export async function setDecision(
  ctx: Context,
  actorId: string,
  findHolder: (policy: Policy) => DecisionHolder,
  wanted: WantedDecision,
): Promise<MessageInitShape<typeof PermissionDecisionUpdateSchema>> {
  const { permission, scope, resolved, decision } = wanted
  const wantedEffect = toEffect(decision)
  await changePolicy(ctx, actorId, async (tx, policy) => {
    const holder = findHolder(policy)
    const key: DecisionKey = {
      ...{ scopeKind: scope.kind, scopeId: scope.id, permission },
      ...{ subjectKind: holder.kind, subjectId: holder.id },
    }
    if (wantedEffect !== 'none') assertExists(resolved)
    const changed =
      wantedEffect === 'none'
        ? await clearDecision(tx, key)
        : await storeDecision(tx, { ...key, decision: wantedEffect })
    const delta = { decisions: [toPolicyDecision(key, wantedEffect)] }
    if (!changed) {
      assertExists(resolved)
      return { change: undefined, deltaAfterRestore: delta, answer: undefined }
    }
    const subject = holder.kind === 'role' ? { roleName: holder.name } : { userId: holder.id }
    const events = [permissionDecided(subject, permission, scope, wantedEffect)]
    const audience: PolicyChange['audience'] =
      holder.kind === 'role' ? { case: 'everyone', value: true } : { case: 'users', value: { userIds: [holder.id] } }
    return { change: { delta, events, audience }, answer: undefined }
  })
  return { permission, scope: toPermissionScope(scope), decision }
}

function toEffect(decision: PermissionDecision): 'allow' | 'deny' | 'none' {
  if (decision === PermissionDecision.ALLOW) return 'allow'
  return decision === PermissionDecision.DENY ? 'deny' : 'none'
}
