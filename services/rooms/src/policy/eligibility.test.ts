import { expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { defaultPolicy, may, policyFrom, type Policy } from '@parley/permissions'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import { findWhoMayJoin, type Eligibility } from './eligibility.ts'

const scope = { kind: 'room', roomId: 'R1', groupId: 'G1' } as const
const { ALLOW, DENY } = PermissionDecision
const { SERVER, GROUP, ROOM } = PermissionScopeKind

type Decision = [
  holder: { userId: string } | { roleId: string },
  kind: PermissionScopeKind,
  decision: PermissionDecision,
]

function policyWith(...decisions: Decision[]): Policy {
  const policy = defaultPolicy()
  for (const [holder, kind, decision] of decisions) {
    const id = kind === GROUP ? 'G1' : kind === ROOM ? 'R1' : ''
    policy.decisions.push(
      create(PolicyDecisionSchema, { ...holder, permission: 'room.join', scope: { kind, id }, decision }),
    )
  }
  return policyFrom(policy)
}

/** Decides with the sets as the query does. */
function isEligible(sets: Eligibility, userId: string, roleIds: string[]): boolean {
  const hasAnyRole = (ids: string[]) => roleIds.some((id) => ids.includes(id))
  if (roleIds.includes(sets.ownerRoleId)) return true
  if (sets.everyone === 'deny' || hasAnyRole(sets.deniedRoles) || sets.deniedUsers.includes(userId)) return false
  return sets.everyone === 'allow' || hasAnyRole(sets.allowedRoles) || sets.allowedUsers.includes(userId)
}

const everyone = { roleId: 'everyone' }
const cases: Decision[][] = [
  [],
  [[everyone, ROOM, DENY]],
  [[{ roleId: 'moderator' }, GROUP, DENY]],
  [[{ userId: 'ann' }, ROOM, DENY]],
  [[everyone, SERVER, PermissionDecision.NONE]],
  [
    [everyone, SERVER, PermissionDecision.NONE],
    [{ userId: 'ann' }, GROUP, ALLOW],
    [{ roleId: 'moderator' }, ROOM, ALLOW],
    [{ userId: 'bob' }, SERVER, DENY],
  ],
]

test.each(cases.map((decisions, n) => [n, decisions] as const))(
  'the sets of policy %i agree with may()',
  (_n, decisions) => {
    const policy = policyWith(...decisions)
    const sets = findWhoMayJoin(policy, scope)
    for (const userId of ['ann', 'bob', 'eve']) {
      for (const roleIds of [[], ['moderator'], ['admin'], ['owner'], ['moderator', 'admin'], ['owner', 'moderator']]) {
        expect([userId, roleIds, isEligible(sets, userId, roleIds)]).toEqual([
          userId,
          roleIds,
          may(policy, { userId, roleIds }, 'room.join', scope),
        ])
      }
    }
  },
)
