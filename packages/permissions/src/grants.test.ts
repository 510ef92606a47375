import { expect, test } from '@jest/globals'
import { RoomKind } from '@parley/contracts/api'
import { policyOf } from '../test/_policies.ts'
import { groupPermissions, isEffectiveMember, roomPermissions, viewerPermissions, type Grant } from './grants.ts'
import { permissions } from './permissions.ts'
import { policyFrom } from './policy.ts'
import { defaultPolicy } from './roles.ts'

const policy = policyFrom(defaultPolicy())
const everyone = { userId: 'U1', roleIds: [] }
const admin = { userId: 'U2', roleIds: ['admin'] }
const owner = { userId: 'U3', roleIds: ['owner'] }
const channel = { roomId: 'R1', kind: RoomKind.CHANNEL, groupId: 'G1', archived: false }
const archived = { ...channel, archived: true }
const dm = { roomId: 'R1', kind: RoomKind.DM, groupId: '', archived: false }

const granted = (grants: Grant[]) => grants.filter((grant) => grant.granted).map((grant) => grant.permission)

test('the grants of a room come in the order of the contract', () => {
  expect(
    roomPermissions(policy, everyone, channel, { isMember: true, banned: false }).map(({ permission }) => permission),
  ).toEqual([
    'room.list',
    'room.join',
    'message.post',
    'message.post-in-thread',
    'message.attach',
    'message.react',
    'message.echo',
    'message.manage',
    'room.manage',
    'room.ban-member',
  ])
})

const memberPermissions = ['message.post', 'message.post-in-thread', 'message.attach', 'message.react', 'message.echo']
const dmPermissions = ['message.post', 'message.attach', 'message.react']

test.each([
  ['a non-member may join a channel', everyone, channel, false, ['room.list', 'room.join']],
  ['a member may post, and need not join', everyone, channel, true, ['room.list', ...memberPermissions]],
  ['a member of an archived room may only list it', everyone, archived, true, ['room.list']],
  ['an archived room cannot be joined', everyone, archived, false, ['room.list']],
  [
    'an admin who is not a member may manage and join',
    admin,
    channel,
    false,
    ['room.list', 'room.join', 'room.manage', 'room.ban-member'],
  ],
  [
    'an admin who is a member may also moderate messages',
    admin,
    channel,
    true,
    ['room.list', ...memberPermissions, 'message.manage', 'room.manage', 'room.ban-member'],
  ],
  [
    'an admin may manage and moderate an archived room',
    admin,
    archived,
    true,
    ['room.list', 'message.manage', 'room.manage', 'room.ban-member'],
  ],
  ['participants of a DM may post, but not in threads', everyone, dm, true, ['room.list', ...dmPermissions]],
  ['admins have no further permissions in a DM', admin, dm, true, ['room.list', ...dmPermissions]],
  ['others cannot join a DM', everyone, dm, false, ['room.list']],
  [
    'owners may neither post in threads nor manage the room in a DM',
    owner,
    dm,
    true,
    ['room.list', ...dmPermissions, 'message.echo', 'message.manage'],
  ],
])('%s', (_, who, room, isMember, expected) => {
  expect(granted(roomPermissions(policy, who, room, { isMember, banned: false }))).toEqual(expected)
})

test('a banned user cannot join', () => {
  expect(granted(roomPermissions(policy, everyone, channel, { isMember: false, banned: true }))).toEqual(['room.list'])
})

test('the viewer permissions are all twenty, in the order of `permissions`', () => {
  const grants = viewerPermissions(policy, everyone)
  expect(grants.map(({ permission }) => permission)).toEqual(permissions.map(({ permission }) => permission))
  expect(granted(grants)).toHaveLength(8)
})

test('a group grants room.create by its own decisions', () => {
  const inGroup = policyOf(['role:everyone', 'allow', 'room.create', 'group:G1'])
  expect(groupPermissions(inGroup, everyone, 'G1')).toEqual([{ permission: 'room.create', granted: true }])
  expect(groupPermissions(inGroup, everyone, 'G2')).toEqual([{ permission: 'room.create', granted: false }])
})

test.each([
  [{ member: true, banned: false }, false, true],
  [{ member: false, banned: false }, false, false],
  [{ member: false, banned: false }, true, true],
  [{ member: false, banned: true }, true, false],
  [{ member: true, banned: true }, true, false],
])('with %j in a room with universal %s, effective membership is %s', (membership, universal, expected) => {
  expect(isEffectiveMember(policy, everyone, { ...channel, universal }, membership)).toBe(expected)
})

test('a user who is denied room.join is not implicitly a member of a universal room', () => {
  const closed = policyOf(
    ['role:everyone', 'allow', 'room.join', 'server'],
    ['user:U1', 'deny', 'room.join', 'room:R1'],
  )
  const room = { ...channel, universal: true }
  expect(isEffectiveMember(closed, everyone, room, { member: false, banned: false })).toBe(false)
  expect(isEffectiveMember(closed, admin, room, { member: false, banned: false })).toBe(true)
})
