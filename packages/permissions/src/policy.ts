import type { GetPolicyResponse, PolicyDelta, PolicyRole } from '@parley/contracts/internal'
import { emptyIndex, IndexDraft, type DecisionIndex } from './decision-index.ts'

/** Roles and all permission decisions at one revision; never changes. */
export class Policy {
  readonly revision: bigint
  readonly roles: ReadonlyMap<string, PolicyRole>
  readonly decisions: DecisionIndex

  constructor(revision: bigint, roles: ReadonlyMap<string, PolicyRole>, decisions: DecisionIndex) {
    this.revision = revision
    this.roles = roles
    this.decisions = decisions
  }
}

/** Decodes the complete policy from admin. Decisions about unknown permissions or at an invalid scope are left out. */
export function policyFrom(snapshot: GetPolicyResponse): Policy {
  const draft = new IndexDraft(emptyIndex)
  for (const decision of snapshot.decisions) draft.decide(decision)
  return new Policy(snapshot.revision, new Map(snapshot.roles.map((role) => [role.id, role])), draft.finish())
}

/**
 * Whether a delta is based on this policy. If it is not although its revision is higher, an earlier delta was missed, or
 * admin's database was restored to an earlier state. The delta is still valid, but the whole policy has to be loaded
 * again.
 */
export const isNext = (policy: Policy, { revision, baseRevision }: PolicyDelta): boolean =>
  // Earlier releases increased the revision by one and did not send `baseRevision`.
  (baseRevision || revision - 1n) === policy.revision

export function applyDelta(policy: Policy, delta: PolicyDelta): Policy {
  const roles = new Map(policy.roles)
  const draft = new IndexDraft(policy.decisions)
  for (const role of delta.roles) roles.set(role.id, role)
  for (const id of delta.deletedRoleIds) {
    roles.delete(id)
    draft.forgetRole(id)
  }
  for (const decision of delta.decisions) draft.decide(decision)
  return new Policy(delta.revision, roles, draft.finish())
}
