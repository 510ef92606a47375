import { describe, expect, test } from '@jest/globals'
import { policyOf, type Stated } from '../test/_policies.ts'
import { effectiveAt, inheritedAt, storedAt, storedDecisions, type Holder } from './matrix.ts'
import { permissions } from './permissions.ts'
import { policyFrom } from './policy.ts'
import type { Scope } from './resolve.ts'
import { defaultPolicy } from './roles.ts'

const crew: Holder = { kind: 'role', id: 'crew' }
const server: Scope = { kind: 'server' }
const group: Scope = { kind: 'group', groupId: 'G1' }
const room: Scope = { kind: 'room', roomId: 'R1', groupId: 'G1' }
const dm: Scope = { kind: 'dm', roomId: 'R1' }
const none = { allowed: [], denied: [] }

type Case = readonly [says: string, stated: Stated[], scope: Scope, allowed: string[], denied: string[]]

const cases: Case[] = [
  ['nothing stored is nothing', [], room, [], []],
  ['a server decision reaches a room', [['role:crew', 'allow', 'room.join', 'server']], room, ['room.join'], []],
  ['a group decision does not rise', [['role:crew', 'allow', 'room.join', 'group:G1']], server, [], []],
  ['another group says nothing', [['role:crew', 'allow', 'room.join', 'group:G2']], room, [], []],
  [
    'the room is nearer than its group and the server, though both deny',
    [
      ['role:crew', 'deny', 'message.post', 'server'],
      ['role:crew', 'deny', 'message.post', 'group:G1'],
      ['role:crew', 'allow', 'message.post', 'room:R1'],
    ],
    room,
    ['message.post'],
    [],
  ],
  [
    'the group is nearer than the server',
    [
      ['role:crew', 'allow', 'message.post', 'server'],
      ['role:crew', 'deny', 'message.post', 'group:G1'],
    ],
    room,
    [],
    ['message.post'],
  ],
  ['what cannot be decided there is left out', [['role:crew', 'allow', 'server.manage', 'server']], room, [], []],
  [
    'room.create reaches groups, not rooms',
    [['role:crew', 'allow', 'room.create', 'server']],
    group,
    ['room.create'],
    [],
  ],
  ['other roles and users say nothing', [['role:everyone', 'deny', 'room.join', 'server']], room, [], []],
  ['a direct message has no group', [['role:crew', 'allow', 'room.join', 'group:G1']], dm, [], []],
  [
    'names come in metadata order',
    [
      ['role:crew', 'allow', 'message.echo', 'server'],
      ['role:crew', 'allow', 'room.create', 'server'],
    ],
    server,
    ['room.create', 'message.echo'],
    [],
  ],
]

test.each(cases)('effective: %s', (_, stated, scope, allowed, denied) => {
  expect(effectiveAt(policyOf(...stated), crew, scope)).toEqual({ allowed, denied })
})

describe('stored and inherited decisions', () => {
  const policy = policyOf(
    ['role:crew', 'allow', 'room.list', 'server'],
    ['role:crew', 'deny', 'room.join', 'server'],
    ['role:crew', 'allow', 'room.join', 'group:G1'],
    ['role:crew', 'deny', 'room.list', 'room:R1'],
    ['user:crew', 'deny', 'message.post', 'room:R1'],
  )

  test('are distinguished', () => {
    expect(storedAt(policy, crew, room)).toEqual({ allowed: [], denied: ['room.list'] })
    expect(inheritedAt(policy, crew, room)).toEqual({ allowed: ['room.join', 'room.list'], denied: [] })
    expect(inheritedAt(policy, crew, group)).toEqual({ allowed: ['room.list'], denied: ['room.join'] })
    expect(inheritedAt(policy, crew, server)).toEqual(none)
  })

  test('a role and a user of the same id are two', () => {
    expect(storedAt(policy, { kind: 'user', id: 'crew' }, room)).toEqual({ allowed: [], denied: ['message.post'] })
  })

  test('the list holds every stored decision once: by permission, then server, groups, rooms', () => {
    expect(storedDecisions(policy, crew)).toEqual([
      { permission: 'room.join', scope: { kind: 'server', id: '' }, decision: 'deny' },
      { permission: 'room.join', scope: { kind: 'group', id: 'G1' }, decision: 'allow' },
      { permission: 'room.list', scope: { kind: 'server', id: '' }, decision: 'allow' },
      { permission: 'room.list', scope: { kind: 'room', id: 'R1' }, decision: 'deny' },
    ])
  })
})

test('the owner is allowed everything that can be decided there, and nothing is stored', () => {
  const owner: Holder = { kind: 'role', id: 'owner' }
  const policy = policyFrom(defaultPolicy())
  for (const scope of [server, group, room]) {
    const applicable = permissions.filter(({ scopes }) => scopes.some((kind) => kind === scope.kind))
    const allowed = applicable.map(({ permission }) => permission)
    expect(effectiveAt(policy, owner, scope)).toEqual({ allowed, denied: [] })
    expect(inheritedAt(policy, owner, scope)).toEqual({ allowed, denied: [] })
    expect(storedAt(policy, owner, scope)).toEqual(none)
  }
  expect(storedDecisions(policy, owner)).toEqual([])
  expect(effectiveAt(policy, { kind: 'user', id: 'owner' }, server)).toEqual(none)
})
