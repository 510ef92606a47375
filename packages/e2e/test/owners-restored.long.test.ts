import { beforeEach, describe, expect, test } from '@jest/globals'
import {
  AdminPermissionService,
  AdminUserService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import {
  MessageService,
  MyAccountService,
  NotificationPreferencesService,
  NotificationLevel,
  RoomDirectoryService,
  RoomService,
} from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { databaseOf, snapshot } from '../src/databases.ts'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, type Person, theOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '../src/socket.ts'

// The database of one service is restored to an earlier state, as by a failover that lost the last commits, while
// others remember later ones. The next changes must still take effect everywhere.

/** Whether the clock after the failover is right, or a minute slower than before. */
const clocks = [
  ['goes right', 0],
  ['is a minute behind', 60_000_000],
] as const

/** Moves a version ahead of the clock after the failover. */
async function ahead(service: string, [table, column, key]: [string, string, string], id: string, by: number) {
  await using database = await databaseOf(service)
  const { rowCount } = await database.query(`update ${table} set ${column} = ${column} + $1 where ${key} = $2`, [
    by,
    id,
  ])
  expect(rowCount).toBe(1)
}

let owner: Person
let ada: Person
let bob: Person
let roomId: string
beforeEach(async () => {
  ;[owner, ada, bob] = await Promise.all([theOwner(), newPerson('ada'), newPerson('bob')])
  roomId = await newRoom(owner, [ada, bob])
})

const bobPosts = () =>
  Promise.all(
    fleet().gateways.map(async (base) =>
      codeOf(await bob.attempt(MessageService.method.createMessage, { roomId, body: 'hello?' }, { base })),
    ),
  )

const messagesOf = (socket: Socket) =>
  socket.events.flatMap(({ event }) => (event.case === 'messagePosted' ? [event.value.messageEventId] : []))

test.each(clocks)('rooms: a ban is in effect when it is answered, and the clock %s', async (_clock, by) => {
  await using before = await snapshot('rooms')
  await ahead('rooms', ['rooms', 'version', 'id'], roomId, by)
  await ada.call(RoomService.method.leaveRoom, { roomId })
  await ada.call(RoomService.method.joinRoom, { roomId })
  await owner.call(RoomService.method.updateRoom, { roomId, name: `renamed-${roomId.toLowerCase()}` })
  await before.restore()
  await owner.call(RoomService.method.banMember, { roomId, userId: bob.userId, reason: 'noise' })
  expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
  // And so are those that follow.
  await owner.call(RoomService.method.unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
  await bob.call(RoomService.method.joinRoom, { roomId })
  expect(await bobPosts()).toEqual([undefined, undefined])
})

test.each(clocks)('admin: a permission that is denied is denied, and the clock %s', async (_clock, by) => {
  const decide = (permission: string, decision: PermissionDecision) =>
    owner.call(AdminPermissionService.method.setUserPermission, {
      ...{ userId: bob.userId, permission, decision },
      scope: { kind: PermissionScopeKind.ROOM, id: roomId },
    })
  await using before = await snapshot('admin')
  await ahead('admin', ['policy_state', 'revision', 'id'], 'server', by)
  for (const decision of [PermissionDecision.DENY, PermissionDecision.ALLOW, PermissionDecision.DENY])
    await decide('message.react', decision)
  await before.restore()
  await decide('message.post', PermissionDecision.DENY)
  expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
})

test.each(clocks)('accounts: a role is taken, a new name is seen, and the clock %s', async (_clock, by) => {
  const { assignRole, listMembers, revokeRole } = AdminUserService.method
  const lists = () =>
    Promise.all(fleet().gateways.map(async (base) => codeOf(await bob.attempt(listMembers, {}, { base }))))
  const rename = (displayName: string) => bob.call(MyAccountService.method.updateProfile, { displayName })
  await owner.call(assignRole, { userId: bob.userId, roleName: 'admin' })
  await eventually(async () => expect(await lists()).toEqual([undefined, undefined]))
  await using before = await snapshot('accounts')
  await ahead('accounts', ['users', 'version', 'id'], bob.userId, by)
  await owner.call(assignRole, { userId: bob.userId, roleName: 'moderator' })
  for (const name of ['Bob One', 'Bob Two', 'Bob Three']) await rename(name)
  // Through the copy of names in rooms.
  const found = async (search: string) =>
    (await ada.call(RoomService.method.listMembers, { roomId, search })).members.map(({ user }) => user?.displayName)
  await eventually(async () => expect(await found('Bob Three')).toEqual(['Bob Three']))
  await before.restore()
  await owner.call(revokeRole, { userId: bob.userId, roleName: 'admin' })
  expect(await lists()).toEqual(['permission_denied', 'permission_denied'])
  await rename('Bob Four')
  await eventually(async () => expect(await found('Bob Four')).toEqual(['Bob Four']))
})

test.each(clocks)('notifications: a room that is muted is not unread, and the clock %s', async (_clock, by) => {
  const choose = (level: NotificationLevel) =>
    bob.call(NotificationPreferencesService.method.updateRoomNotificationPreference, { roomId, level })
  await choose(NotificationLevel.NORMAL)
  await using before = await snapshot('notifications')
  await ahead('notifications', ['preferences', 'version', 'user_id'], bob.userId, by)
  for (const level of [NotificationLevel.ALL_MESSAGES, NotificationLevel.NORMAL, NotificationLevel.ALL_MESSAGES])
    await choose(level)
  await before.restore()
  await choose(NotificationLevel.MUTED)
  await post(ada, roomId, 'nobody calls')
  expect((await bob.call(RoomDirectoryService.method.getRoom, { roomId })).room?.viewerState?.hasUnread).toBe(false)
})

describe.each(clocks)(
  'a call finds its change already made, while others use a lost state; the clock %s',
  (_clock, by) => {
    test('rooms: who left leaves, who is no more banned is not', async () => {
      const fay = await newPerson('fay')
      await owner.call(RoomService.method.banMember, { roomId, userId: bob.userId, reason: 'noise' })
      await owner.call(RoomService.method.unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
      await using before = await snapshot('rooms')
      await ahead('rooms', ['rooms', 'version', 'id'], roomId, by)
      await bob.call(RoomService.method.joinRoom, { roomId })
      await fay.call(RoomService.method.joinRoom, { roomId })
      await owner.call(RoomService.method.banMember, { roomId, userId: ada.userId, reason: 'noise' })
      await before.restore()
      using socket = await Socket.subscribed(fleet().gateways[0] ?? '', bob.token)
      expect(await bob.call(RoomService.method.leaveRoom, { roomId })).toMatchObject({ left: true })
      expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
      // One call restored the whole room.
      const fays = await fay.attempt(MessageService.method.createMessage, { roomId, body: 'hello?' })
      expect(codeOf(fays)).toBe('permission_denied')
      const received = await post(ada, roomId, 'they are gone')
      const other = await newRoom(owner, [ada, bob])
      await socket.waitForMessage(await post(ada, other, 'afterwards'))
      expect(messagesOf(socket)).not.toContain(received)
    })

    test('admin: a permission that was denied is denied', async () => {
      const decide = (decision: PermissionDecision) =>
        owner.call(AdminPermissionService.method.setUserPermission, {
          ...{ userId: bob.userId, permission: 'message.post', decision },
          scope: { kind: PermissionScopeKind.ROOM, id: roomId },
        })
      await decide(PermissionDecision.DENY)
      await using before = await snapshot('admin')
      await ahead('admin', ['policy_state', 'revision', 'id'], 'server', by)
      await decide(PermissionDecision.ALLOW)
      await before.restore()
      await decide(PermissionDecision.DENY)
      expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
    })
  },
)
