import { expect, test } from '@jest/globals'
import { policyOf, type DecisionSpec } from '../test/_policies.ts'
import { capabilities } from './capabilities.ts'

const who = { userId: 'U1', roleIds: [] as string[] }

test('capabilities come in the order of the contract', () => {
  expect(capabilities(policyOf(), who).map(({ capability }) => capability)).toEqual([
    'admin.view',
    'dm.start',
    'admin.view-users',
    'user.manage-accounts',
    'role.assign',
    'role.view',
    'role.manage',
    'admin.view-system',
    'admin.view-audit',
    'user.manage-permissions',
  ])
})

const cases: [string, DecisionSpec[], string[]][] = [
  ['without decisions, only direct messages are granted', [], ['dm.start']],
  ['a DENY for posting at the server takes direct messages away', [['user:U1', 'deny', 'message.post', 'server']], []],
  [
    'a DENY for posting in a room does not take direct messages away',
    [['user:U1', 'deny', 'message.post', 'room:R1']],
    ['dm.start'],
  ],
  ['room.manage grants the admin view', [['user:U1', 'allow', 'room.manage', 'server']], ['admin.view', 'dm.start']],
  ['message.manage does not grant the admin view', [['user:U1', 'allow', 'message.manage', 'server']], ['dm.start']],
  [
    'role.assign grants viewing roles',
    [['user:U1', 'allow', 'role.assign', 'server']],
    ['admin.view', 'dm.start', 'role.assign', 'role.view'],
  ],
  [
    'user.manage-permissions grants viewing roles',
    [['user:U1', 'allow', 'user.manage-permissions', 'server']],
    ['admin.view', 'dm.start', 'role.view', 'user.manage-permissions'],
  ],
]

test.each(cases)('%s', (_, decisions, expected) => {
  const granted = capabilities(policyOf(...decisions), who).filter((grant) => grant.granted)
  expect(granted.map(({ capability }) => capability)).toEqual(expected)
})

test('an owner has all capabilities', () => {
  expect(capabilities(policyOf(), { userId: 'U1', roleIds: ['owner'] }).every(({ granted }) => granted)).toBe(true)
})
