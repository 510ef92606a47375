import { expect, test } from '@jest/globals'
import { policyOf, type Stated } from '../test/_policies.ts'
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

const cases: [string, Stated[], string[]][] = [
  ['nothing stored: direct messages only', [], ['dm.start']],
  ['denied posting: not even those', [['user:U1', 'deny', 'message.post', 'server']], []],
  ['a room-scope denial leaves them', [['user:U1', 'deny', 'message.post', 'room:R1']], ['dm.start']],
  ['room.manage opens the admin view', [['user:U1', 'allow', 'room.manage', 'server']], ['admin.view', 'dm.start']],
  ['message.manage does not', [['user:U1', 'allow', 'message.manage', 'server']], ['dm.start']],
  [
    'assigning roles means seeing them',
    [['user:U1', 'allow', 'role.assign', 'server']],
    ['admin.view', 'dm.start', 'role.assign', 'role.view'],
  ],
  [
    'permission overrides mean seeing roles',
    [['user:U1', 'allow', 'user.manage-permissions', 'server']],
    ['admin.view', 'dm.start', 'role.view', 'user.manage-permissions'],
  ],
]

test.each(cases)('%s', (_, decisions, expected) => {
  const granted = capabilities(policyOf(...decisions), who).filter((grant) => grant.granted)
  expect(granted.map(({ capability }) => capability)).toEqual(expected)
})

test('an owner has them all, and only an owner sees the system', () => {
  expect(capabilities(policyOf(), { userId: 'U1', roleIds: ['owner'] }).every(({ granted }) => granted)).toBe(true)
})
