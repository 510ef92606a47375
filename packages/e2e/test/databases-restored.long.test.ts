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
import { databaseOf, takeSnapshot } from '../src/databases.ts'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

// The database of one service is restored to an earlier state, as after a failover. Other services know later states.

const clocks = [
  ['is right', 0],
  ['is a minute behind', 60_000_000],
] as const

/** Adds microseconds to a version, as if the clock had been ahead by that much before the failover. */
async function advanceVersion(service: string, [table, column, key]: [string, string, string], id: string, by: number) {
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
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
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

test.each(clocks)('rooms: a ban takes effect before its response, if the clock %s', async (_clock, by) => {
  await using before = await takeSnapshot('rooms')
  await advanceVersion('rooms', ['rooms', 'version', 'id'], roomId, by)
  await ada.call(RoomService.method.leaveRoom, { roomId })
  await ada.call(RoomService.method.joinRoom, { roomId })
  await owner.call(RoomService.method.updateRoom, { roomId, name: `renamed-${roomId.toLowerCase()}` })
  await before.restore()
  await owner.call(RoomService.method.banMember, { roomId, userId: bob.userId, reason: 'noise' })
  expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
  // The following changes take effect too.
  await owner.call(RoomService.method.unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
  await bob.call(RoomService.method.joinRoom, { roomId })
  expect(await bobPosts()).toEqual([undefined, undefined])
})

test.each(clocks)(
  'admin: a denied permission takes effect before its response, if the clock %s',
  async (_clock, by) => {
    const decide = (permission: string, decision: PermissionDecision) =>
      owner.call(AdminPermissionService.method.setUserPermission, {
        ...{ userId: bob.userId, permission, decision },
        scope: { kind: PermissionScopeKind.ROOM, id: roomId },
      })
    await using before = await takeSnapshot('admin')
    await advanceVersion('admin', ['policy_state', 'revision', 'id'], 'server', by)
    for (const decision of [PermissionDecision.DENY, PermissionDecision.ALLOW, PermissionDecision.DENY])
      await decide('message.react', decision)
    await before.restore()
    await decide('message.post', PermissionDecision.DENY)
    expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
  },
)

test.each(clocks)('accounts: a revoked role and a new name take effect, if the clock %s', async (_clock, by) => {
  const { assignRole, listMembers, revokeRole } = AdminUserService.method
  const memberListCodes = () =>
    Promise.all(fleet().gateways.map(async (base) => codeOf(await bob.attempt(listMembers, {}, { base }))))
  const rename = (displayName: string) => bob.call(MyAccountService.method.updateProfile, { displayName })
  await owner.call(assignRole, { userId: bob.userId, roleName: 'admin' })
  await eventually(async () => expect(await memberListCodes()).toEqual([undefined, undefined]))
  await using before = await takeSnapshot('accounts')
  await advanceVersion('accounts', ['users', 'version', 'id'], bob.userId, by)
  await owner.call(assignRole, { userId: bob.userId, roleName: 'moderator' })
  for (const name of ['Bob One', 'Bob Two', 'Bob Three']) await rename(name)
  // Searches the copy of names in rooms.
  const searchNames = async (search: string) =>
    (await ada.call(RoomService.method.listMembers, { roomId, search })).members.map(({ user }) => user?.displayName)
  await eventually(async () => expect(await searchNames('Bob Three')).toEqual(['Bob Three']))
  await before.restore()
  await owner.call(revokeRole, { userId: bob.userId, roleName: 'admin' })
  expect(await memberListCodes()).toEqual(['permission_denied', 'permission_denied'])
  await rename('Bob Four')
  await eventually(async () => expect(await searchNames('Bob Four')).toEqual(['Bob Four']))
})

test.each(clocks)('notifications: a muted room is not unread, if the clock %s', async (_clock, by) => {
  const choose = (level: NotificationLevel) =>
    bob.call(NotificationPreferencesService.method.updateRoomNotificationPreference, { roomId, level })
  await choose(NotificationLevel.NORMAL)
  await using before = await takeSnapshot('notifications')
  await advanceVersion('notifications', ['preferences', 'version', 'user_id'], bob.userId, by)
  for (const level of [NotificationLevel.ALL_MESSAGES, NotificationLevel.NORMAL, NotificationLevel.ALL_MESSAGES])
    await choose(level)
  await before.restore()
  await choose(NotificationLevel.MUTED)
  await post(ada, roomId, 'nobody calls')
  expect((await bob.call(RoomDirectoryService.method.getRoom, { roomId })).room?.viewerState?.hasUnread).toBe(false)
})

describe.each(clocks)(
  'if the clock %s, a call takes effect even if the restored database already has its result',
  (_clock, by) => {
    test('rooms: a leave closes the room at both gateways and on open sockets', async () => {
      const fay = await newPerson('fay')
      await owner.call(RoomService.method.banMember, { roomId, userId: bob.userId, reason: 'noise' })
      await owner.call(RoomService.method.unbanMember, { roomId, userId: bob.userId, reason: 'peace' })
      await using before = await takeSnapshot('rooms')
      await advanceVersion('rooms', ['rooms', 'version', 'id'], roomId, by)
      await bob.call(RoomService.method.joinRoom, { roomId })
      await fay.call(RoomService.method.joinRoom, { roomId })
      await owner.call(RoomService.method.banMember, { roomId, userId: ada.userId, reason: 'noise' })
      await before.restore()
      using socket = await Socket.subscribe(fleet().gateways[0] ?? '', bob.token)
      expect(await bob.call(RoomService.method.leaveRoom, { roomId })).toMatchObject({ left: true })
      expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
      // Bob's call has announced the restored state of the whole room, in which fay is not a member.
      const faysPost = await fay.attempt(MessageService.method.createMessage, { roomId, body: 'hello?' })
      expect(codeOf(faysPost)).toBe('permission_denied')
      const hidden = await post(ada, roomId, 'they are gone')
      const other = await newRoom(owner, [ada, bob])
      await socket.waitForMessage(await post(ada, other, 'afterwards'))
      expect(messagesOf(socket)).not.toContain(hidden)
    })

    test('admin: the denial takes effect at both gateways', async () => {
      const decide = (decision: PermissionDecision) =>
        owner.call(AdminPermissionService.method.setUserPermission, {
          ...{ userId: bob.userId, permission: 'message.post', decision },
          scope: { kind: PermissionScopeKind.ROOM, id: roomId },
        })
      await decide(PermissionDecision.DENY)
      await using before = await takeSnapshot('admin')
      await advanceVersion('admin', ['policy_state', 'revision', 'id'], 'server', by)
      await decide(PermissionDecision.ALLOW)
      await before.restore()
      await decide(PermissionDecision.DENY)
      expect(await bobPosts()).toEqual(['permission_denied', 'permission_denied'])
    })
  },
)
