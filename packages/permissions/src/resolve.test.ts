import { describe, expect, test } from '@jest/globals'
import { policyOf, type Stated } from '../test/_policies.ts'
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

type Case = readonly [says: string, decisions: Stated[], permission: Permission, scope: Scope, outcome: Outcome]

const cases: Case[] = [
  ['nothing stored leaves it open', [], 'message.post', room, 'undecided'],
  ['everyone allows', [['role:everyone', 'allow', 'room.list', 'server']], 'room.list', server, 'allow'],
  ['a held role allows', [['role:crew', 'allow', 'room.list', 'server']], 'room.list', server, 'allow'],
  ['a role not held says nothing', [['role:admin', 'allow', 'room.list', 'server']], 'room.list', server, 'undecided'],
  ['the own override allows', [['user:U1', 'allow', 'room.list', 'server']], 'room.list', server, 'allow'],
  ["another user's says nothing", [['user:U9', 'deny', 'room.list', 'server']], 'room.list', server, 'undecided'],
  ['a server decision reaches a room', [['role:crew', 'allow', 'room.join', 'server']], 'room.join', room, 'allow'],
  ['a group decision reaches its rooms', [['role:crew', 'deny', 'room.join', 'group:G1']], 'room.join', room, 'deny'],
  [
    'a group decision stays in its group',
    [['role:crew', 'deny', 'room.join', 'group:G2']],
    'room.join',
    room,
    'undecided',
  ],
  [
    'a room decision stays in its room',
    [['role:crew', 'deny', 'room.join', 'room:R2']],
    'room.join',
    room,
    'undecided',
  ],
  ['a room decision does not rise', [['role:crew', 'allow', 'room.join', 'room:R1']], 'room.join', group, 'undecided'],
  [
    'a room ALLOW cannot undo a server DENY',
    [
      ['role:everyone', 'deny', 'message.post', 'server'],
      ['role:moderator', 'allow', 'message.post', 'room:R1'],
    ],
    'message.post',
    room,
    'deny',
  ],
  [
    'a user ALLOW cannot undo a role DENY',
    [
      ['user:U1', 'allow', 'message.post', 'room:R1'],
      ['role:everyone', 'deny', 'message.post', 'room:R1'],
    ],
    'message.post',
    room,
    'deny',
  ],
  [
    'one DENY among roles wins, regardless of positions',
    [
      ['role:moderator', 'allow', 'message.manage', 'server'],
      ['role:crew', 'deny', 'message.manage', 'server'],
    ],
    'message.manage',
    room,
    'deny',
  ],
  [
    'an ALLOW above an open room stands',
    [['role:crew', 'allow', 'room.create', 'server']],
    'room.create',
    group,
    'allow',
  ],
  ['managing is never given in a DM', [['user:U1', 'allow', 'room.manage', 'server']], 'room.manage', dm, 'deny'],
  ['echoes are never given in a DM', [['user:U1', 'allow', 'message.echo', 'room:R1']], 'message.echo', dm, 'deny'],
  ['posting in a DM needs no decision', [], 'message.post', dm, 'allow'],
  ['joining a DM needs no decision', [], 'room.join', dm, 'allow'],
  ['listing a DM does', [], 'room.list', dm, 'undecided'],
  ['a server DENY reaches a DM', [['role:everyone', 'deny', 'message.post', 'server']], 'message.post', dm, 'deny'],
  ['a room DENY reaches a DM', [['role:everyone', 'deny', 'message.react', 'room:R1']], 'message.react', dm, 'deny'],
]

test.each(cases)('%s', (_, decisions, permission, scope, outcome) => {
  expect(resolve(policyOf(...decisions), ada, permission, scope)).toBe(outcome)
})

test('undecided and denied both mean no', () => {
  const policy = policyOf(['role:everyone', 'deny', 'room.join', 'server'])
  expect(may(policy, ada, 'room.join', server)).toBe(false)
  expect(may(policy, ada, 'room.list', server)).toBe(false)
})

describe('an owner', () => {
  const denyAll = policyOf(
    ...permissions.map(({ permission }): Stated => ['role:everyone', 'deny', permission, 'server']),
    ['user:U2', 'deny', 'message.post', 'room:R1'],
  )

  test.each(permissions.map(({ permission }) => permission))('is allowed %s against every DENY', (permission) => {
    for (const scope of [server, group, room]) expect(resolve(denyAll, owner, permission, scope)).toBe('allow')
    expect(resolve(denyAll, owner, permission, dm)).toBe(permission === 'message.post-in-thread' ? 'deny' : 'allow')
  })
})

test('a new server lets everyone talk, moderators moderate and admins administrate', () => {
  const policy = policyFrom(defaultPolicy())
  const allowed = (...roleIds: string[]) =>
    permissions.filter(({ permission }) => may(policy, { userId: 'U3', roleIds }, permission, server)).length
  expect(allowed()).toBe(8)
  expect(allowed('moderator')).toBe(10)
  expect(allowed('admin')).toBe(20)
  expect(policy.decisions.server.roles.has('owner')).toBe(false)
})
