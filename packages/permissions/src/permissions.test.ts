import { expect, test } from '@jest/globals'
import { appliesAt, isPermission, permissions } from './permissions.ts'
import { defaultDecisions, systemRoles } from './roles.ts'

test('there are twenty permissions, and ten of them apply to rooms', () => {
  expect(permissions).toHaveLength(20)
  const at = (kind: 'server' | 'group' | 'room') => permissions.filter(({ scopes }) => scopes.includes(kind)).length
  expect([at('server'), at('group'), at('room')]).toEqual([20, 11, 10])
})

test('unknown permissions, and scopes to which a permission does not apply, are rejected', () => {
  expect(isPermission('room.create')).toBe(true)
  expect(isPermission('constructor')).toBe(false)
  expect(appliesAt('room.create', 'group')).toBe(true)
  expect(appliesAt('room.create', 'room')).toBe(false)
  expect(appliesAt('room.explode', 'server')).toBe(false)
})

test('the system roles have their default permissions', () => {
  expect(systemRoles.map(({ id, position, pingable }) => [id, position, pingable])).toEqual([
    ['everyone', 0, false],
    ['moderator', 100, true],
    ['admin', 900, false],
    ['owner', 1000, false],
  ])
  const of = (roleId: string) => defaultDecisions.filter((d) => d.roleId === roleId).map(({ permission }) => permission)
  expect(of('everyone')).toHaveLength(8)
  expect(of('moderator')).toEqual(['message.manage', 'room.ban-member'])
  expect(of('admin')).toEqual([
    'server.manage',
    'room.create',
    'room.join',
    'room.list',
    'room.manage',
    'room.ban-member',
    'message.manage',
    'role.manage',
    'role.assign',
    'admin.view-users',
    'admin.view-audit',
    'user.delete-any',
    'user.delete-self',
    'user.manage-accounts',
    'user.manage-permissions',
  ])
  expect(of('owner')).toEqual([])
})
