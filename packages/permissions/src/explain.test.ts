import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import { GetPolicyResponseSchema } from '@parley/contracts/internal'
import { decision, type DecisionSpec } from '../test/_policies.ts'
import { explain } from './explain.ts'
import { permissions, type Permission } from './permissions.ts'
import { policyFrom } from './policy.ts'
import type { Outcome, Scope, Subject } from './resolve.ts'

const ada = { userId: 'U1', roleIds: ['O1', 'moderator'] }
const owner = { userId: 'U2', roleIds: ['owner'] }
const room: Scope = { kind: 'room', roomId: 'R1', groupId: 'G1' }
const dm: Scope = { kind: 'dm', roomId: 'R1' }

/**
 * The outcome, and each entry as "+level:role" or "-level:role". The level is "rule" for a rule, and the role "user" for
 * a decision about the user. "!" marks the deciding entry.
 */
function explained(specs: DecisionSpec[], permission: Permission, scope: Scope, subject: Subject = ada) {
  const roles = [
    { id: 'everyone', name: 'everyone', position: 0 },
    { id: 'O1', name: 'crew', position: 1 },
    { id: 'moderator', name: 'moderator', position: 100 },
  ]
  const policy = policyFrom(create(GetPolicyResponseSchema, { roles, decisions: specs.map(decision) }))
  const { outcome, trace } = explain(policy, subject, scope).find((entry) => entry.permission === permission) ?? {}
  const entries = trace?.map(
    ({ level, roleName, decision, applied }) =>
      `${applied ? '!' : ''}${decision === 'deny' ? '-' : '+'}${level ?? 'rule'}:${roleName || 'user'}`,
  )
  return { outcome, entries }
}

type Case = readonly [title: string, specs: DecisionSpec[], scope: Scope, outcome: Outcome, entries: string[]]

const cases: Case[] = [
  ['without decisions the outcome is undecided', [], room, 'undecided', []],
  [
    'a single ALLOW decides',
    [['role:everyone', 'allow', 'message.post', 'server']],
    room,
    'allow',
    ['!+server:everyone'],
  ],
  [
    'the nearest ALLOW decides, and the others follow by nearness',
    [
      ['role:everyone', 'allow', 'message.post', 'server'],
      ['role:O1', 'allow', 'message.post', 'group:G1'],
      ['user:U1', 'allow', 'message.post', 'room:R1'],
    ],
    room,
    'allow',
    ['!+room:user', '+group:crew', '+server:everyone'],
  ],
  [
    'a DENY at a wide scope overrules an ALLOW at a narrow one',
    [
      ['user:U1', 'allow', 'message.post', 'room:R1'],
      ['role:everyone', 'deny', 'message.post', 'server'],
    ],
    room,
    'deny',
    ['!-server:everyone', '+room:user'],
  ],
  [
    'the nearest of several DENYs decides',
    [
      ['role:O1', 'deny', 'message.post', 'server'],
      ['role:O1', 'deny', 'message.post', 'group:G1'],
    ],
    room,
    'deny',
    ['!-group:crew', '-server:crew'],
  ],
  [
    'at one scope, the decision about the user comes first, then roles from the highest, then everyone',
    [
      ['role:everyone', 'allow', 'message.post', 'server'],
      ['role:O1', 'allow', 'message.post', 'server'],
      ['role:moderator', 'allow', 'message.post', 'server'],
      ['user:U1', 'allow', 'message.post', 'server'],
    ],
    room,
    'allow',
    ['!+server:user', '+server:moderator', '+server:crew', '+server:everyone'],
  ],
  [
    'a decision about a role that the user does not have is ignored',
    [['role:admin', 'deny', 'message.post', 'server']],
    room,
    'undecided',
    [],
  ],
  ['a decision at another room is ignored', [['role:O1', 'deny', 'message.post', 'room:R2']], room, 'undecided', []],
  ['in a direct message, posting is allowed without a decision', [], dm, 'allow', ['!+rule:@dm-policy']],
  [
    'in a direct message, a stored ALLOW is given as the reason instead of the rule',
    [['role:everyone', 'allow', 'message.post', 'server']],
    dm,
    'allow',
    ['!+server:everyone'],
  ],
  [
    'in a direct message, a DENY at the server applies and one at a group does not',
    [
      ['role:O1', 'deny', 'message.post', 'group:G1'],
      ['role:O1', 'deny', 'message.post', 'server'],
    ],
    dm,
    'deny',
    ['!-server:crew'],
  ],
]

test.each(cases)('%s', (_, specs, scope, outcome, entries) => {
  expect(explained(specs, 'message.post', scope)).toEqual({ outcome, entries })
})

describe('rules that take precedence over decisions', () => {
  test('the reason why an owner is allowed something is the role, regardless of stored decisions', () => {
    const specs: DecisionSpec[] = [['role:everyone', 'deny', 'message.post', 'server']]
    const entries = ['!+rule:owner', '-server:everyone']
    expect(explained(specs, 'message.post', room, owner)).toEqual({ outcome: 'allow', entries })
    expect(explained(specs, 'message.post', dm, owner)).toEqual({ outcome: 'allow', entries })
  })

  test('only owners may manage a direct message', () => {
    const specs: DecisionSpec[] = [['role:everyone', 'allow', 'room.manage', 'server']]
    const entries = ['!-rule:@dm-policy', '+server:everyone']
    expect(explained(specs, 'room.manage', dm)).toEqual({ outcome: 'deny', entries })
    expect(explained([], 'room.manage', dm, owner)).toEqual({ outcome: 'allow', entries: ['!+rule:owner'] })
  })

  test('threads are not allowed in a direct message, not even for owners', () => {
    const entries = ['!-rule:@dm-policy']
    expect(explained([], 'message.post-in-thread', dm, owner)).toEqual({ outcome: 'deny', entries })
  })
})

test('all permissions are explained, in the order of `permissions`', () => {
  const explanations = explain(policyFrom(create(GetPolicyResponseSchema, {})), ada, { kind: 'server' })
  expect(explanations.map(({ permission }) => permission)).toEqual(permissions.map(({ permission }) => permission))
})
