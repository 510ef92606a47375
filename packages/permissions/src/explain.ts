import { bitOf, type Bits } from './bits.ts'
import type { DecisionBits, ScopeDecisions } from './decision-index.ts'
import { defaultInDm, neverInDm, neverInDmForOwners } from './dm-rules.ts'
import { scopesAt } from './scopes-at.ts'
import { permissions, type Permission, type ScopeKind } from './permissions.ts'
import type { Policy } from './policy.ts'
import { isOwner, type Outcome, type Scope, type Subject } from './resolve.ts'
import { everyoneRoleId, ownerRoleId } from './roles.ts'

/** Shown instead of the name of a role if the rules of direct messages decide. */
export const dmPolicyName = '@dm-policy'

/** One reason for or against a permission. */
export type TraceEntry = {
  /** Scope at which the decision is stored; undefined for a rule. */
  readonly level: ScopeKind | undefined
  /** For a decision about a role, its name; for one about the user, empty; for a rule, `owner` or `@dm-policy`. */
  readonly roleName: string
  readonly decision: 'allow' | 'deny'
  /** Whether this entry decided the outcome: true for the first entry, false for the others. */
  readonly applied: boolean
}

/** The outcome for one permission, and the reasons for and against it. */
export type Explanation = {
  readonly permission: Permission
  readonly outcome: Outcome
  /**
   * The stored decisions that apply, and a rule if it decides. The deciding entry comes first; the others follow from
   * the nearest scope to the widest. At one scope, the decision about the user precedes those about roles. Empty if the
   * outcome is undecided.
   */
  readonly trace: readonly TraceEntry[]
}

/**
 * Explains the result of `resolve` for every permission, in the order of `permissions`. Of several decisions with the
 * same effect, the nearest one is the deciding one. At one scope, the decision about the user comes first, then those
 * about roles, from the highest position down to `everyone`.
 */
export function explain(policy: Policy, subject: Subject, scope: Scope): Explanation[] {
  const sources = decisionSources(policy, subject)
  const found = scopesAt(policy, scope).flatMap(({ kind, decisions }) =>
    sources.flatMap(({ roleName, bitsAt }) => {
      const bits = decisions && bitsAt(decisions)
      return bits ? [{ level: kind, roleName, bits }] : []
    }),
  )
  return permissions.map(({ permission }) => {
    const bit = bitOf(permission)
    const stored = found.flatMap(({ level, roleName, bits }): Reason[] => {
      if (bits.deny & bit) return [{ level, roleName, decision: 'deny' }]
      return bits.allow & bit ? [{ level, roleName, decision: 'allow' }] : []
    })
    const decisive =
      overridingRule(subject, scope, bit) ??
      stored.find(({ decision }) => decision === 'deny') ??
      stored.find(({ decision }) => decision === 'allow') ??
      defaultRule(scope, bit)
    if (!decisive) return { permission, outcome: 'undecided', trace: [] }
    const rest = stored.filter((entry) => entry !== decisive).map((entry) => ({ ...entry, applied: false }))
    return { permission, outcome: decisive.decision, trace: [{ ...decisive, applied: true }, ...rest] }
  })
}

type Reason = Omit<TraceEntry, 'applied'>
type DecisionSource = { roleName: string; bitsAt: (at: ScopeDecisions) => DecisionBits | undefined }

function decisionSources({ roles }: Policy, { userId, roleIds }: Subject): DecisionSource[] {
  const position = (id: string) => roles.get(id)?.position ?? 0
  const held = [...new Set(roleIds)].filter((id) => id !== everyoneRoleId)
  held.sort((a, b) => position(b) - position(a) || (a < b ? -1 : 1))
  return [
    { roleName: '', bitsAt: ({ users }) => users.get(userId) },
    ...[...held, everyoneRoleId].map((id): DecisionSource => {
      return { roleName: roles.get(id)?.name ?? id, bitsAt: (at) => at.roles.get(id) }
    }),
  ]
}

/** Rules that take precedence over decisions. */
function overridingRule(subject: Subject, scope: Scope, bit: Bits): Reason | undefined {
  const owner = isOwner(subject)
  const never = scope.kind === 'dm' ? (owner ? neverInDmForOwners : neverInDm) : 0
  if (never & bit) return { level: undefined, roleName: dmPolicyName, decision: 'deny' }
  return owner ? { level: undefined, roleName: ownerRoleId, decision: 'allow' } : undefined
}

/** Defaults that apply without a decision. */
function defaultRule(scope: Scope, bit: Bits): Reason | undefined {
  if (scope.kind !== 'dm' || !(defaultInDm & bit)) return undefined
  return { level: undefined, roleName: dmPolicyName, decision: 'allow' }
}
