import { describe, expect, test } from '@jest/globals'
import { policyOf, type DecisionSpec } from '../test/_policies.ts'
import { permissions, type Permission } from './permissions.ts'
import { policyFrom } from './policy.ts'
import { may, resolve, type Outcome, type Scope } from './resolve.ts'
import { defaultPolicy } from './roles.ts'

const ada = { userId: 'U1', roleIds: ['moderator', 'crew'] }
const owner = { userId: 'U2', roleIds: ['owner'] }
const server: Scope = { kind: 'server' }
const group: Scope = { kind: 'group', groupId: 'G1' }
const room: Scope = { kind: 'room', roomId: 'R1', groupId: 'G1' }
const dm: Scope = { kind: 'dm', roomId: 'R1' }

type Case = readonly [title: string, decisions: DecisionSpec[], permission: Permission, scope: Scope, outcome: Outcome]

const cases: Case[] = [
  ['without decisions the outcome is undecided', [], 'message.post', room, 'undecided'],
  ['an ALLOW for everyone applies', [['role:everyone', 'allow', 'room.list', 'server']], 'room.list', server, 'allow'],
  [
    'an ALLOW for a role of the user applies',
    [['role:crew', 'allow', 'room.list', 'server']],
    'room.list',
    server,
    'allow',
  ],
  [
    'a decision about a role that the user does not have is ignored',
    [['role:admin', 'allow', 'room.list', 'server']],
    'room.list',
    server,
    'undecided',
  ],
  ['an ALLOW for the user applies', [['user:U1', 'allow', 'room.list', 'server']], 'room.list', server, 'allow'],
  [
    'a decision about another user is ignored',
    [['user:U9', 'deny', 'room.list', 'server']],
    'room.list',
    server,
    'undecided',
  ],
  [
    'a decision at the server applies in a room',
    [['role:crew', 'allow', 'room.join', 'server']],
    'room.join',
    room,
    'allow',
  ],
  [
    'a decision at a group applies in its rooms',
    [['role:crew', 'deny', 'room.join', 'group:G1']],
    'room.join',
    room,
    'deny',
  ],
  [
    'a decision at another group is ignored',
    [['role:crew', 'deny', 'room.join', 'group:G2']],
    'room.join',
    room,
    'undecided',
  ],
  [
    'a decision at another room is ignored',
    [['role:crew', 'deny', 'room.join', 'room:R2']],
    'room.join',
    room,
    'undecided',
  ],
  [
    'a decision at a room does not apply to its group',
    [['role:crew', 'allow', 'room.join', 'room:R1']],
    'room.join',
    group,
    'undecided',
  ],
  [
    'an ALLOW at a room does not overrule a DENY at the server',
    [
      ['role:everyone', 'deny', 'message.post', 'server'],
      ['role:moderator', 'allow', 'message.post', 'room:R1'],
    ],
    'message.post',
    room,
    'deny',
  ],
  [
    'an ALLOW for a user does not overrule a DENY for a role',
    [
      ['user:U1', 'allow', 'message.post', 'room:R1'],
      ['role:everyone', 'deny', 'message.post', 'room:R1'],
    ],
    'message.post',
    room,
    'deny',
  ],
  [
    'one DENY for a role denies, regardless of the positions of the roles',
    [
      ['role:moderator', 'allow', 'message.manage', 'server'],
      ['role:crew', 'deny', 'message.manage', 'server'],
    ],
    'message.manage',
    room,
    'deny',
  ],
  [
    'an ALLOW at the server applies in a group without decisions',
    [['role:crew', 'allow', 'room.create', 'server']],
    'room.create',
    group,
    'allow',
  ],
  [
    'an ALLOW for room.manage does not apply in a DM',
    [['user:U1', 'allow', 'room.manage', 'server']],
    'room.manage',
    dm,
    'deny',
  ],
  [
    'an ALLOW for message.echo does not apply in a DM',
    [['user:U1', 'allow', 'message.echo', 'room:R1']],
    'message.echo',
    dm,
    'deny',
  ],
  ['posting in a DM needs no decision', [], 'message.post', dm, 'allow'],
  ['joining a DM needs no decision', [], 'room.join', dm, 'allow'],
  ['listing a DM needs a decision', [], 'room.list', dm, 'undecided'],
  [
    'a DENY at the server applies in a DM',
    [['role:everyone', 'deny', 'message.post', 'server']],
    'message.post',
    dm,
    'deny',
  ],
  [
    'a DENY at a DM applies in it',
    [['role:everyone', 'deny', 'message.react', 'room:R1']],
    'message.react',
    dm,
    'deny',
  ],
]

test.each(cases)('%s', (_, decisions, permission, scope, outcome) => {
  expect(resolve(policyOf(...decisions), ada, permission, scope)).toBe(outcome)
})

test('may is false for an undecided and for a denied permission', () => {
  const policy = policyOf(['role:everyone', 'deny', 'room.join', 'server'])
  expect(may(policy, ada, 'room.join', server)).toBe(false)
  expect(may(policy, ada, 'room.list', server)).toBe(false)
})

describe('an owner', () => {
  const denyAll = policyOf(
    ...permissions.map(({ permission }): DecisionSpec => ['role:everyone', 'deny', permission, 'server']),
    ['user:U2', 'deny', 'message.post', 'room:R1'],
  )

  test.each(permissions.map(({ permission }) => permission))(
    'is allowed %s despite every DENY, except threads in a DM',
    (permission) => {
      for (const scope of [server, group, room]) expect(resolve(denyAll, owner, permission, scope)).toBe('allow')
      expect(resolve(denyAll, owner, permission, dm)).toBe(permission === 'message.post-in-thread' ? 'deny' : 'allow')
    },
  )
})

test('on a new server everyone has 8 permissions, moderators have 10 and admins all 20', () => {
  const policy = policyFrom(defaultPolicy())
  const allowed = (...roleIds: string[]) =>
    permissions.filter(({ permission }) => may(policy, { userId: 'U3', roleIds }, permission, server)).length
  expect(allowed()).toBe(8)
  expect(allowed('moderator')).toBe(10)
  expect(allowed('admin')).toBe(20)
  expect(policy.decisions.server.roles.has('owner')).toBe(false)
})
