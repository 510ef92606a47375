import { beforeAll, describe, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomDirectoryScope, RoomKind, type RoomWithViewerState } from '@parley/contracts/api'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import { eq } from 'drizzle-orm'
import { layoutItems, roomGroups, roomMembers, rooms, sidebarLinks } from '../src/store/schema.ts'
import { ban, createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv } from './_env.ts'

const env = useEnv()
let lobby: string
const ids = { tea: '', hidden: '', everyone: '', old: '', spoken: '', later: '', empty: '', foreign: '' }

const shy = 'Ushy'

beforeAll(async () => {
  env.admin.policy.decisions.push(
    create(PolicyDecisionSchema, {
      userId: shy,
      permission: 'room.list',
      scope: { kind: PermissionScopeKind.SERVER },
      decision: PermissionDecision.DENY,
    }),
  )
  await env.start()
  lobby = await lobbyOf(env)
  ids.tea = await makeRoom(env, 'tea')
  ids.everyone = await makeRoom(env, 'everyone', { universal: true })
  ids.old = await makeRoom(env, 'old')
  await env.as('Ualice').rooms.joinRoom({ roomId: ids.tea })
  await env.as('Ualice').rooms.joinRoom({ roomId: ids.old })
  await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, ids.old))
  for (const [name, other] of [
    ['spoken', 'Ubob'],
    ['later', 'Ucarol'],
    ['empty', 'Udave'],
  ] as const) {
    ids[name] = await createDm(env, ['Ualice', other])
  }
  ids.foreign = await createDm(env, ['Ubob', 'Ucarol'])
  env.messaging.setState('Ualice', ids.spoken, { lastMessageAt: new Date(1000) })
  env.messaging.setState('Ualice', ids.later, { lastMessageAt: new Date(2000), hasUnread: true })
  env.messaging.setState('Ualice', ids.tea, { lastMessageAt: new Date(3000), hasUnread: true })
})

const alice = () => env.as('Ualice').directory
const idsOf = (shown: RoomWithViewerState[]) => shown.map(({ room }) => room?.id)
const grantedPermissions = (shown: RoomWithViewerState | undefined) =>
  shown?.viewerState?.permissions.filter((grant) => grant.granted).map(({ permission }) => permission)

describe('ListRooms', () => {
  test('lists visible channels, then direct messages with posts, newest first', async () => {
    const { rooms: shown } = await alice().listRooms({})
    const kinds = shown.map(({ room }) => room?.kind)
    expect(kinds.lastIndexOf(RoomKind.CHANNEL)).toBeLessThan(kinds.indexOf(RoomKind.DM))
    expect(idsOf(shown)).toEqual(expect.arrayContaining([ids.tea, ids.everyone]))
    expect(idsOf(shown)).not.toContain(ids.old)
    expect(idsOf(shown).slice(-2)).toEqual([ids.later, ids.spoken])
    expect(idsOf(shown)).not.toContain(ids.foreign)
  })

  test.each([RoomDirectoryScope.UNSPECIFIED, RoomDirectoryScope.CHANNELS])(
    'shows channels by name in scope %s',
    async (scope) => {
      const { rooms: shown } = await alice().listRooms({ scope })
      const names = shown.flatMap(({ room }) => (room?.kind === RoomKind.CHANNEL ? [room.name] : []))
      expect(names.length).toBeGreaterThan(1)
      expect(names).toEqual(names.toSorted())
    },
  )

  test('calls messaging once for all rooms', async () => {
    const before = env.messaging.stateCalls
    await alice().listRooms({})
    expect(env.messaging.stateCalls).toBe(before + 1)
  })

  test('lists participants of direct messages, or none while accounts is unavailable', async () => {
    const person = { displayName: '', roleIds: [], version: 1n }
    env.accounts.people.push(
      { ...person, userId: 'Ualice', login: 'alice' },
      { ...person, userId: 'Ubob', login: 'bob', deleted: true },
    )
    await env.db.update(roomMembers).set({ member: false }).where(eq(roomMembers.userId, 'Ubob'))
    try {
      const { rooms: shown } = await alice().listRooms({})
      const named = (roomId: string) => shown.find(({ room }) => room?.id === roomId)?.dmMembers
      expect(named(ids.spoken)?.map(({ login, deleted }) => ({ login, deleted }))).toEqual([
        { login: 'alice', deleted: false },
        { login: 'bob', deleted: true },
      ])
      expect(named(ids.tea)).toEqual([])
      const { rooms: some } = await alice().batchGetRooms({ roomIds: [ids.spoken] })
      expect(some.map(({ dmMembers }) => dmMembers.length)).toEqual([2])
      env.accounts.unavailable = true
      const { rooms: unnamed } = await alice().listRooms({})
      expect(idsOf(unnamed)).toEqual(idsOf(shown))
      expect(unnamed.flatMap(({ dmMembers }) => dmMembers)).toEqual([])
    } finally {
      env.accounts.unavailable = false
      env.accounts.people.length = 0
      await env.db.update(roomMembers).set({ member: true }).where(eq(roomMembers.userId, 'Ubob'))
    }
  })

  test('returns whether rooms have unread messages', async () => {
    const { rooms: shown } = await alice().listRooms({})
    const unread = shown.filter(({ viewerState }) => viewerState?.hasUnread)
    expect(new Set(idsOf(unread))).toEqual(new Set([ids.tea, ids.later]))
  })

  test.each([
    [RoomDirectoryScope.CHANNELS, RoomKind.CHANNEL],
    [RoomDirectoryScope.DMS, RoomKind.DM],
  ])('with scope %s shows rooms of one kind', async (scope, kind) => {
    const { rooms: shown } = await alice().listRooms({ scope })
    expect(new Set(shown.map(({ room }) => room?.kind))).toEqual(new Set([kind]))
  })

  test('refuses an unknown scope', async () => {
    expect(await codeOf(alice().listRooms({ scope: 9 as RoomDirectoryScope }))).toBe(Code.InvalidArgument)
  })

  test('shows people without room.list only rooms of which they are members', async () => {
    const { rooms: shown } = await env.as(shy).directory.listRooms({})
    expect(shown.every(({ viewerState }) => viewerState?.isMember)).toBe(true)
    expect(idsOf(shown)).toContain(ids.everyone)
    expect(idsOf(shown)).not.toContain(ids.tea)
  })
})

describe('GetRoom', () => {
  test('returns the permissions of a member', async () => {
    const { room } = await alice().getRoom({ roomId: ids.tea })
    expect(room?.viewerState).toMatchObject({ isMember: true, hasUnread: true })
    expect(room?.viewerState?.permissions.map(({ permission }) => permission)).toEqual([
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
    expect(grantedPermissions(room)).toEqual([
      'room.list',
      'message.post',
      'message.post-in-thread',
      'message.attach',
      'message.react',
      'message.echo',
    ])
  })

  test('tells a non-member that the room can be joined', async () => {
    const { room } = await env.as('Ustranger').directory.getRoom({ roomId: ids.tea })
    expect(room?.viewerState).toMatchObject({ isMember: false, hasUnread: false })
    expect(grantedPermissions(room)).toEqual(['room.list', 'room.join'])
  })

  test('shows that a banned user is not a member of a universal room', async () => {
    await ban(env.db, ids.everyone, 'Umallory')
    const { room } = await env.as('Umallory').directory.getRoom({ roomId: ids.everyone })
    expect(room?.viewerState).toMatchObject({ isMember: false })
    expect(grantedPermissions(room)).toEqual(['room.list'])
  })

  test('shows an archived room', async () => {
    const { room } = await alice().getRoom({ roomId: ids.old })
    expect(room).toMatchObject({ room: { archived: true }, viewerState: { isMember: true } })
    expect(grantedPermissions(room)).toEqual(['room.list'])
  })

  test('shows a direct message to its participants, even if empty', async () => {
    const { room } = await alice().getRoom({ roomId: ids.empty })
    expect(room).toMatchObject({ room: { kind: RoomKind.DM, name: '', groupId: '' }, viewerState: { isMember: true } })
  })

  test.each<[string, () => string, string, string[], Code]>([
    ['an unknown room', () => 'Rnone', 'Ualice', [], Code.NotFound],
    ['a hidden room', () => ids.tea, shy, [], Code.PermissionDenied],
    ['a direct message of others', () => ids.foreign, 'Ualice', [], Code.NotFound],
    ['a direct message of others, even to an owner', () => ids.foreign, 'Uowner', ['owner'], Code.NotFound],
    ['an empty id', () => '', 'Ualice', [], Code.InvalidArgument],
  ])('refuses %s', async (_what, room, userId, roleIds, code) => {
    expect(await codeOf(env.as(userId, ...roleIds).directory.getRoom({ roomId: room() }))).toBe(code)
  })
})

describe('BatchGetRooms', () => {
  test('returns each room once, in requested order, without hidden ones', async () => {
    const roomIds = [ids.old, 'Rnone', ids.tea, ids.old, ids.foreign, ids.spoken]
    const { rooms: shown } = await alice().batchGetRooms({ roomIds })
    expect(idsOf(shown)).toEqual([ids.old, ids.tea, ids.spoken])
  })

  test.each([
    ['an empty list of ids', []],
    ['101 ids', Array.from({ length: 101 }, (_, n) => `R${n}`)],
    ['an empty id', ['']],
  ])('refuses %s', async (_what, roomIds) => {
    expect(await codeOf(alice().batchGetRooms({ roomIds }))).toBe(Code.InvalidArgument)
  })
})

describe('room groups', () => {
  beforeAll(async () => {
    const at = new Date()
    await env.db
      .insert(roomGroups)
      .values({ id: 'Gtwo', name: 'Two', description: 'second', position: 2, createdAt: at })
    await env.db.insert(sidebarLinks).values({ id: 'Lwiki', label: 'Wiki', url: 'https://wiki.example' })
    await env.db.insert(layoutItems).values({ itemId: 'Lwiki', kind: 'link', groupId: 'Gtwo', position: 1 })
    await env.db.update(layoutItems).set({ groupId: 'Gtwo', position: 2 }).where(eq(layoutItems.itemId, ids.tea))
    await env.db.update(rooms).set({ groupId: 'Gtwo' }).where(eq(rooms.id, ids.tea))
  })

  test('are listed with links and rooms, without archived ones', async () => {
    const { groups } = await alice().listRoomGroups({})
    expect(groups.map(({ id }) => id)).toEqual([lobby, 'Gtwo'])
    expect(groups[1]).toMatchObject({ name: 'Two', description: 'second' })
    expect(groups[1]?.items.map(({ item }) => item)).toMatchObject([
      { case: 'sidebarLink', value: { id: 'Lwiki', label: 'Wiki', url: 'https://wiki.example' } },
      { case: 'room', value: { room: { id: ids.tea }, viewerState: { isMember: true, hasUnread: true } } },
    ])
    const names = groups[0]?.items.map(({ item }) => item.case === 'room' && item.value.room?.name)
    expect(names).toEqual(['announcements', 'general', 'everyone'])
  })

  test('leave out rooms hidden from the viewer', async () => {
    const { groups } = await env.as(shy).directory.listRoomGroups({})
    expect(groups[1]?.items.map(({ item }) => item.case)).toEqual(['sidebarLink'])
  })

  test('return whether the viewer may create rooms in them', async () => {
    const grant = (allowed: boolean) => [{ permission: 'room.create', granted: allowed }]
    const { group: asUser } = await alice().getRoomGroup({ groupId: 'Gtwo' })
    expect(asUser?.viewerState?.permissions).toMatchObject(grant(false))
    const { group: asAdmin } = await env.as('Uadmin', 'admin').directory.getRoomGroup({ groupId: 'Gtwo' })
    expect(asAdmin?.viewerState?.permissions).toMatchObject(grant(true))
  })

  test('are returned once, in requested order, without unknown ones', async () => {
    expect(await codeOf(alice().getRoomGroup({ groupId: 'Gnone' }))).toBe(Code.NotFound)
    const { groups } = await alice().batchGetRoomGroups({ groupIds: ['Gtwo', 'Gnone', lobby, 'Gtwo'] })
    expect(groups.map(({ id }) => id)).toEqual(['Gtwo', lobby])
  })

  test('are listed with one call to messaging', async () => {
    const before = env.messaging.stateCalls
    await alice().listRoomGroups({})
    expect(env.messaging.stateCalls).toBe(before + 1)
  })
})
