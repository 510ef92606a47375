import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import { defaultPolicy, policyFrom } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { decideJoin, decideLeave, wouldJoin } from './membership.ts'
import type { PolicyRoom, Standing } from './standing.ts'

const policy = policyFrom(defaultPolicy())
const ann = { userId: 'ann', roleIds: [] }
const channel: PolicyRoom = { roomId: 'R1', kind: RoomKind.CHANNEL, groupId: 'G1', universal: false, archived: false }
const dm: PolicyRoom = { ...channel, kind: RoomKind.DM, groupId: '' }
const stranger: Standing = { member: false, banned: false }
const member: Standing = { member: true, banned: false }
const banned: Standing = { member: false, banned: true }

function codeOf(decide: () => unknown): Code | undefined {
  try {
    decide()
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}

describe('decideJoin', () => {
  test.each<[string, PolicyRoom, Standing, 'change' | 'nothing']>([
    ['lets a stranger become a member', channel, stranger, 'change'],
    ['changes nothing for a member', channel, member, 'nothing'],
    ['changes nothing in a universal room', { ...channel, universal: true }, stranger, 'nothing'],
  ])('%s', (_what, room, standing, outcome) => {
    expect(decideJoin(policy, ann, room, standing)).toBe(outcome)
  })

  test.each<[string, PolicyRoom, Standing, Code]>([
    ['direct messages', dm, stranger, Code.InvalidArgument],
    ['banned people', channel, banned, Code.PermissionDenied],
    ['banned people in universal rooms', { ...channel, universal: true }, banned, Code.PermissionDenied],
    ['archived rooms', { ...channel, archived: true }, stranger, Code.FailedPrecondition],
    ['archived universal rooms', { ...channel, universal: true, archived: true }, stranger, Code.FailedPrecondition],
  ])('refuses %s', (_what, room, standing, code) => {
    expect(codeOf(() => decideJoin(policy, ann, room, standing))).toBe(code)
  })
})

describe('decideLeave', () => {
  test.each<[string, PolicyRoom, Standing, 'change' | 'nothing']>([
    ['lets a member leave', channel, member, 'change'],
    ['changes nothing for a non-member', channel, stranger, 'nothing'],
    ['lets a member leave an archived room', { ...channel, archived: true }, member, 'change'],
  ])('%s', (_what, room, standing, outcome) => {
    expect(decideLeave(room, standing)).toBe(outcome)
  })

  test.each<[string, PolicyRoom]>([
    ['direct messages', dm],
    ['universal rooms', { ...channel, universal: true }],
  ])('refuses %s', (_what, room) => {
    expect(codeOf(() => decideLeave(room, member))).toBe(Code.FailedPrecondition)
  })
})

test('wouldJoin is true exactly if decideJoin decides for a change', () => {
  const yesOrNo = [true, false]
  const emptyPolicy = policyFrom({ ...defaultPolicy(), decisions: [] })
  for (const kind of [RoomKind.CHANNEL, RoomKind.DM])
    for (const universal of yesOrNo)
      for (const archived of yesOrNo)
        for (const member of yesOrNo)
          for (const banned of yesOrNo)
            for (const applied of [policy, emptyPolicy]) {
              const room = { ...channel, kind, universal, archived }
              const join = [applied, ann, room, { member, banned }] as const
              const changes = codeOf(() => decideJoin(...join)) === undefined && decideJoin(...join) === 'change'
              expect(wouldJoin(...join)).toBe(changes)
            }
})
