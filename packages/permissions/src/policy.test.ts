import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { GetPolicyResponseSchema, PolicyDeltaSchema } from '@parley/contracts/internal'
import { decision, policyOf } from '../test/_policies.ts'
import { applyDelta, isNext, policyFrom } from './policy.ts'
import { may } from './resolve.ts'

const everyone = { userId: 'U1', roleIds: [] }

test.each([
  [{ revision: 2n }, true],
  [{ revision: 3n }, false],
  [{ revision: 90n, baseRevision: 1n }, true],
  [{ revision: 90n, baseRevision: 5n }, false],
])('isNext of the delta %j after revision 1 is %s', (delta, follows) => {
  expect(isNext(policyOf(), create(PolicyDeltaSchema, delta))).toBe(follows)
})

test('a delta creates and deletes roles, and the decisions of a deleted role are removed', () => {
  const crew = { id: 'O1', name: 'crew' }
  const before = policyFrom(
    create(GetPolicyResponseSchema, {
      revision: 7n,
      roles: [crew],
      decisions: [
        decision(['role:O1', 'deny', 'room.list', 'server']),
        decision(['role:O1', 'deny', 'room.list', 'group:G1']),
        decision(['role:O1', 'deny', 'room.list', 'room:R1']),
        decision(['role:everyone', 'allow', 'room.list', 'server']),
      ],
    }),
  )
  const after = applyDelta(
    before,
    create(PolicyDeltaSchema, { revision: 8n, roles: [{ id: 'O2', name: 'crew' }], deletedRoleIds: ['O1'] }),
  )
  const room = { kind: 'room', roomId: 'R1', groupId: 'G1' } as const
  const member = { userId: 'U1', roleIds: ['O1'] }
  expect(after.revision).toBe(8n)
  expect([...after.roles.keys()]).toEqual(['O2'])
  expect(may(after, member, 'room.list', room)).toBe(true)
  expect(may(before, member, 'room.list', room)).toBe(false)
})

test('decisions about unknown permissions or at invalid scopes are left out', () => {
  const unknown = decision(['role:everyone', 'allow', 'room.list', 'server'])
  unknown.permission = 'room.explode'
  const withoutId = decision(['role:everyone', 'deny', 'message.post', 'room:'])
  const misplaced = decision(['role:everyone', 'allow', 'server.manage', 'room:R1'])
  const policy = policyFrom(create(GetPolicyResponseSchema, { decisions: [unknown, withoutId, misplaced] }))
  expect(may(policy, everyone, 'server.manage', { kind: 'room', roomId: 'R1', groupId: 'G1' })).toBe(false)
  expect(policy.decisions.rooms.size).toBe(0)
  expect(policy.decisions.server.roles.size).toBe(0)
})
