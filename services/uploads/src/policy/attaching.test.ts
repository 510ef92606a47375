import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { defaultPolicy, policyFrom } from '@parley/permissions'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { GetRoomAccessResponseSchema, PolicyDecisionSchema } from '@parley/contracts/internal'
import { assertMayAttach } from './attaching.ts'

const room = { roomId: 'Rtea', kind: RoomKind.CHANNEL, groupId: 'G1', universal: false, archived: false }
const access = (changes: object = {}) =>
  create(GetRoomAccessResponseSchema, { exists: true, effectiveMember: true, room, ...changes })
const alice = { userId: 'Ualice', roleIds: [] }
const standard = defaultPolicy()
const denial = create(PolicyDecisionSchema, {
  ...{ userId: 'Ualice', permission: 'message.attach', decision: PermissionDecision.DENY },
  scope: { kind: PermissionScopeKind.ROOM, id: 'Rtea' },
})
const assertion = (given: ReturnType<typeof access>, policy = standard) => {
  return () => assertMayAttach(policyFrom(policy), alice, given)
}

test('members of an active room may send files', () => {
  expect(assertion(access())).not.toThrow()
})

test.each([
  ['the room does not exist', access({ exists: false }), Code.NotFound],
  ['the user is not a member', access({ effectiveMember: false }), Code.PermissionDenied],
  ['the room is archived', access({ room: { ...room, archived: true } }), Code.FailedPrecondition],
])('sending files is refused if %s', (_, given, code) => {
  expect(assertion(given)).toThrow(expect.objectContaining({ code }))
})

test('a user who is denied message.attach cannot send files', () => {
  const denying = { ...standard, decisions: [...standard.decisions, denial] }
  expect(assertion(access(), denying)).toThrow(expect.objectContaining({ code: Code.PermissionDenied }))
})
