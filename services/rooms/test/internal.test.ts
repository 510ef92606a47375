import { beforeAll, describe, expect, test } from '@jest/globals'
import { ownerRoleId } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import type { StandingPlace } from '@parley/contracts/internal'
import { eq, sql } from 'drizzle-orm'
import { people, roomGroups, roomMembers, rooms } from '../src/store/schema.ts'
import { ban, createDm } from './_seeds.ts'
import { Code } from '@connectrpc/connect'
import { codeOf, lobbyOf, makeRoom, openEnv, useEnv } from './_env.ts'

const env = useEnv()
let tea: string
let everyone: string
let direct: string

beforeAll(async () => {
  await env.start()
  await lobbyOf(env)
  tea = await makeRoom(env, 'tea')
  everyone = await makeRoom(env, 'everyone', { universal: true })
  direct = await createDm(env, ['Ualice', 'Ubob'])
  await env.as('Ualice').rooms.joinRoom({ roomId: tea })
})

describe('OpenSockets', () => {
  test('returns memberships and bans in channels, and omits users who have none', async () => {
    await ban(env.db, everyone, 'Ualice', { expiresAt: new Date('2100-01-01T00:00:00Z') })
    const { entries, next } = await env.internal.openSockets({ userIds: ['Unobody', 'Ualice', 'Ubob'] })
    expect(next).toBeUndefined()
    expect(entries.map(({ userId }) => userId)).toEqual(['Ualice'])
    const alice = new Map(entries[0]?.standings.map((standing) => [standing.roomId, standing]))
    expect(new Set(alice.keys())).toEqual(new Set([tea, everyone]))
    expect(alice.get(tea)).toMatchObject({ member: true, banned: false })
    expect(alice.get(everyone)).toMatchObject({ member: false, memberVersion: 0n, banned: true, banVersion: 1n })
    expect(alice.get(everyone)?.banExpiresAt?.seconds).toBe(BigInt(Date.parse('2100-01-01T00:00:00Z') / 1000))
  })

  test('is paged: every standing is returned once, even across pages', async () => {
    const userIds = ['Upaged1', 'Upaged2', 'Upaged3']
    const roomIds = await Promise.all(Array.from({ length: 4 }, (_, i) => makeRoom(env, `paged-${i}`)))
    for (const userId of userIds) for (const roomId of roomIds) await env.as(userId).rooms.joinRoom({ roomId })
    const found: string[] = []
    const sizes: number[] = []
    let after: StandingPlace | undefined
    do {
      const page = await env.internal.openSockets({ userIds, limit: 5, ...(after && { after }) })
      const rows = page.entries.flatMap(({ userId, standings }) => standings.map(({ roomId }) => `${userId} ${roomId}`))
      found.push(...rows)
      sizes.push(rows.length)
      after = page.next
    } while (after)
    expect(sizes).toEqual([5, 5, 2])
    expect(new Set(found).size).toBe(12)
  })

  test('returns memberships that ended in the last three days', async () => {
    await env.as('Ucarol').rooms.joinRoom({ roomId: tea })
    await env.as('Ucarol').rooms.leaveRoom({ roomId: tea })
    const standings = async () => (await env.internal.openSockets({ userIds: ['Ucarol'] })).entries[0]?.standings
    expect(await standings()).toMatchObject([{ roomId: tea, member: false }])
    const old = sql`now() - interval '73 hours'`
    await env.db.update(roomMembers).set({ since: old }).where(eq(roomMembers.userId, 'Ucarol'))
    expect(await standings()).toBeUndefined()
  })
})

describe('ListUniversalRooms', () => {
  const list = async () => (await env.internal.listUniversalRooms({})).rooms.map(({ roomId }) => roomId)

  test('returns universal rooms, even archived ones, and rooms that were universal in the last three days', async () => {
    const archived = await makeRoom(env, 'archived', { universal: true })
    await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, archived))
    const ended = await makeRoom(env, 'ended')
    await env.db
      .update(rooms)
      .set({ universalEndedAt: sql`now()` })
      .where(eq(rooms.id, ended))
    expect(await list()).toEqual(expect.arrayContaining([everyone, archived, ended]))
    expect(await list()).not.toContain(tea)
    const old = sql`now() - interval '73 hours'`
    await env.db.update(rooms).set({ universalEndedAt: old }).where(eq(rooms.id, ended))
    expect(await list()).not.toContain(ended)
  })
})

describe('GetRoomAccess', () => {
  const access = (userId: string, roomId: string) => env.internal.getRoomAccess({ userId, roleIds: [], roomId })

  test('returns whether a user is an effective member', async () => {
    expect(await access('Ualice', tea)).toMatchObject({ exists: true, effectiveMember: true, room: { roomId: tea } })
    expect(await access('Ustranger', tea)).toMatchObject({ exists: true, effectiveMember: false })
    expect(await access('Ustranger', everyone)).toMatchObject({ effectiveMember: true, room: { universal: true } })
    expect(await access('Ualice', everyone)).toMatchObject({ effectiveMember: false })
    expect(await access('Ualice', direct)).toMatchObject({ effectiveMember: true, room: { kind: RoomKind.DM } })
  })

  test('uses stored roles if `useStoredRoles` is set', async () => {
    await using other = await openEnv()
    other.admin.policy.decisions = other.admin.policy.decisions.filter(({ permission }) => permission !== 'room.join')
    await other.start()
    await lobbyOf(other)
    const roomId = await makeRoom(other, 'everyone', { universal: true })
    await other.db.insert(people).values({
      ...{ userId: 'Uowner', login: 'owner', displayName: '', nameKey: 'owner', deleted: false },
      ...{ profileVersion: 1n, roleIds: [ownerRoleId], rolesVersion: 1n },
    })
    const requested = { userId: 'Uowner', roomId }
    expect(await other.internal.getRoomAccess({ ...requested, useStoredRoles: true })).toMatchObject({
      effectiveMember: true,
    })
    expect(await other.internal.getRoomAccess(requested)).toMatchObject({ effectiveMember: false })
    const stranger = { ...requested, userId: 'Ustranger', useStoredRoles: true }
    expect(await other.internal.getRoomAccess(stranger)).toMatchObject({ effectiveMember: false })
  })

  test('does not count deleted users as members', async () => {
    const roomId = await makeRoom(env, 'for-all', { universal: true })
    const isMember = async (userId: string) =>
      (await env.internal.getRoomAccess({ userId, roomId, useStoredRoles: true })).effectiveMember
    const row = { login: '', displayName: '', nameKey: '', profileVersion: 2n, roleIds: [], rolesVersion: 1n }
    await env.db.insert(people).values([
      { ...row, userId: 'Uthere', deleted: false },
      { ...row, userId: 'Udeleted', deleted: true },
    ])
    expect(await Promise.all(['Uthere', 'Udeleted', 'Uunheard'].map(isMember))).toEqual([true, false, true])
  })

  test('reports that a room does not exist', async () => {
    expect(await access('Ualice', 'Rnone')).toMatchObject({ exists: false, effectiveMember: false })
  })
})

describe('GetRooms and GetGroups', () => {
  test('return existing ones, including archived rooms and direct messages', async () => {
    const archived = await makeRoom(env, 'shelved')
    await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, archived))
    const { rooms: found } = await env.internal.getRooms({ roomIds: ['Rnone', tea, archived, direct, tea] })
    const groupId = await lobbyOf(env)
    expect(new Map(found.map((room) => [room.roomId, room]))).toEqual(
      new Map([
        [tea, expect.objectContaining({ kind: RoomKind.CHANNEL, groupId, name: 'tea', archived: false })],
        [archived, expect.objectContaining({ archived: true })],
        [direct, expect.objectContaining({ kind: RoomKind.DM, groupId: '', name: '' })],
      ]),
    )
    const { groups } = await env.internal.getGroups({ groupIds: ['Gnone', groupId] })
    expect(groups).toMatchObject([{ groupId, name: 'Lobby' }])
  })

  test('take at most 500 ids', async () => {
    const ids = Array.from({ length: 501 }, (_, n) => `X${n}`)
    expect(await codeOf(env.internal.getRooms({ roomIds: ids }))).toBe(Code.InvalidArgument)
    expect(await codeOf(env.internal.getGroups({ groupIds: ids }))).toBe(Code.InvalidArgument)
  })
})

describe('ListLayout', () => {
  test('lists groups and channels in sidebar order, without archived rooms', async () => {
    const groupId = await lobbyOf(env)
    const createdAt = new Date()
    await env.db.insert(roomGroups).values({ id: 'Gempty', name: 'Empty', description: '', position: 9, createdAt })
    const gone = await makeRoom(env, 'gone')
    await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, gone))
    const { groups } = await env.internal.listLayout({})
    expect(groups.map((group) => group.groupId)).toEqual([groupId, 'Gempty'])
    expect(groups[1]).toMatchObject({ name: 'Empty', channels: [] })
    const shown = (await env.as('Uowner', 'owner').directory.listRoomGroups({})).groups[0]?.items
    expect(groups[0]?.channels.map(({ roomId, name }) => [roomId, name])).toEqual(
      shown?.flatMap(({ item }) => (item.case === 'room' ? [[item.value.room?.id, item.value.room?.name]] : [])),
    )
    expect(groups[0]?.channels.map(({ roomId }) => roomId)).not.toContain(gone)
  })
})

test('CountRooms counts channels and direct messages, archived ones included', async () => {
  const before = await env.internal.countRooms({})
  const archived = await makeRoom(env, 'counted')
  await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, archived))
  await createDm(env, ['Uxena', 'Uyves'])
  expect(await env.internal.countRooms({})).toMatchObject({ channels: before.channels + 1, dms: before.dms + 1 })
})
