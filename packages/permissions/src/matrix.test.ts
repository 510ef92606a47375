import { describe, expect, test } from '@jest/globals'
import { policyOf, type DecisionSpec } from '../test/_policies.ts'
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

type Case = readonly [title: string, specs: DecisionSpec[], scope: Scope, allowed: string[], denied: string[]]

const cases: Case[] = [
  ['without decisions, nothing is allowed or denied', [], room, [], []],
  [
    'a decision at the server applies in a room',
    [['role:crew', 'allow', 'room.join', 'server']],
    room,
    ['room.join'],
    [],
  ],
  [
    'a decision at a group does not apply at the server',
    [['role:crew', 'allow', 'room.join', 'group:G1']],
    server,
    [],
    [],
  ],
  ['a decision at another group does not apply', [['role:crew', 'allow', 'room.join', 'group:G2']], room, [], []],
  [
    'a decision at the room overrules its group and the server',
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
    'a decision at the group overrules the server',
    [
      ['role:crew', 'allow', 'message.post', 'server'],
      ['role:crew', 'deny', 'message.post', 'group:G1'],
    ],
    room,
    [],
    ['message.post'],
  ],
  [
    'permissions that do not apply to rooms are left out',
    [['role:crew', 'allow', 'server.manage', 'server']],
    room,
    [],
    [],
  ],
  [
    'room.create at the server applies in a group',
    [['role:crew', 'allow', 'room.create', 'server']],
    group,
    ['room.create'],
    [],
  ],
  ['decisions about another role do not apply', [['role:everyone', 'deny', 'room.join', 'server']], room, [], []],
  [
    'a decision at a group does not apply in a direct message',
    [['role:crew', 'allow', 'room.join', 'group:G1']],
    dm,
    [],
    [],
  ],
  [
    'permissions are in the order of `permissions`',
    [
      ['role:crew', 'allow', 'message.echo', 'server'],
      ['role:crew', 'allow', 'room.create', 'server'],
    ],
    server,
    ['room.create', 'message.echo'],
    [],
  ],
]

test.each(cases)('effective: %s', (_, specs, scope, allowed, denied) => {
  expect(effectiveAt(policyOf(...specs), crew, scope)).toEqual({ allowed, denied })
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

  test('of a role and of a user with the same id are separate', () => {
    expect(storedAt(policy, { kind: 'user', id: 'crew' }, room)).toEqual({ allowed: [], denied: ['message.post'] })
  })

  test('are listed once each: by permission, then server, groups, rooms', () => {
    expect(storedDecisions(policy, crew)).toEqual([
      { permission: 'room.join', scope: { kind: 'server', id: '' }, decision: 'deny' },
      { permission: 'room.join', scope: { kind: 'group', id: 'G1' }, decision: 'allow' },
      { permission: 'room.list', scope: { kind: 'server', id: '' }, decision: 'allow' },
      { permission: 'room.list', scope: { kind: 'room', id: 'R1' }, decision: 'deny' },
    ])
  })
})

test('the role owner is allowed every permission that applies to a scope, without stored decisions', () => {
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
