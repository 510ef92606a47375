import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Permission, Policy } from '@parley/permissions'
import { PermissionDecision, type PermissionDecisionUpdateSchema } from '@parley/contracts/admin'
import type { Context } from '../../context.ts'
import type { DecisionScope } from '../../domain/decision-scope.ts'
import { permissionDecided } from '../../domain/rbac-events.ts'
import { assertExists, type Place } from '../../policy/role-editing.ts'
import { clearDecision, storeDecision, type DecisionKey } from '../../store/policy.ts'
import { toPermissionScope } from '../../view/decision.ts'
import { toPolicyDecision } from '../../view/policy.ts'
import type { PolicyChange } from '../../store/policy-changes.ts'
import { changePolicy } from './change-policy.ts'

/** The role or user whose decision changes. */
export type DecisionHolder = { kind: 'role'; id: string; name: string } | { kind: 'user'; id: string }

export type WantedDecision = {
  permission: Permission
  scope: DecisionScope
  /** The scope, which was checked to exist. */
  place: Place
  /** ALLOW, DENY, or NONE to clear. */
  decision: PermissionDecision
}

/**
 * Stores, changes or clears a decision. `find` returns its subject, and throws if the actor may not decide; it is
 * called again under the lock. A decision about a deleted group can still be cleared.
 */
export async function decide(
  ctx: Context,
  actorId: string,
  find: (policy: Policy) => DecisionHolder,
  wanted: WantedDecision,
): Promise<MessageInitShape<typeof PermissionDecisionUpdateSchema>> {
  const { permission, scope, place, decision } = wanted
  const word = wordOf(decision)
  await changePolicy(ctx, actorId, async (tx, policy) => {
    const holder = find(policy)
    const key: DecisionKey = {
      ...{ scopeKind: scope.kind, scopeId: scope.id, permission },
      ...{ subjectKind: holder.kind, subjectId: holder.id },
    }
    if (word !== 'none') assertExists(place)
    const changed = word === 'none' ? await clearDecision(tx, key) : await storeDecision(tx, { ...key, decision: word })
    const delta = { decisions: [toPolicyDecision(key, word)] }
    if (!changed) {
      assertExists(place)
      return { change: undefined, stands: delta, answer: undefined }
    }
    const decided = holder.kind === 'role' ? { roleName: holder.name } : { userId: holder.id }
    const events = [permissionDecided(decided, permission, scope, word)]
    const concerns: PolicyChange['concerns'] =
      holder.kind === 'role' ? { case: 'everyone', value: true } : { case: 'users', value: { userIds: [holder.id] } }
    return { change: { delta, events, concerns }, answer: undefined }
  })
  return { permission, scope: toPermissionScope(scope), decision }
}

function wordOf(decision: PermissionDecision): 'allow' | 'deny' | 'none' {
  if (decision === PermissionDecision.ALLOW) return 'allow'
  return decision === PermissionDecision.DENY ? 'deny' : 'none'
}
