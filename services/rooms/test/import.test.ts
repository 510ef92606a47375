import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { everyoneRoleId } from '@parley/permissions'
import type { ImportRoomRequestSchema } from '@parley/contracts/internal'
import { sql } from 'drizzle-orm'
import { decisionFor } from './_seeds.ts'
import { lobbyOf, useEnv, person } from './_env.ts'

/** Denying either to everyone makes a room private in an export. */
const privatePermissions = ['room.list', 'room.join']
const roomIdOf = (permission: string) => `R${permission.replace('.', '')}12345`

const env = useEnv()
let groupId: string
beforeAll(async () => {
  env.accounts.people.push(...['Uann', 'Ubob', 'Ucid'].map((userId) => person(userId)))
  for (const permission of privatePermissions) {
    const roomId = roomIdOf(permission)
    await env.db.execute(sql`insert into imported_rooms (source, external_id, room_id)
      values ('slack:T1', ${permission}, ${roomId})`)
    const denial = decisionFor({ userId: '', permission, roomId, deny: true })
    env.admin.policy.decisions.push({ ...denial, roleId: everyoneRoleId })
  }
  await Promise.all([env.start(), env.start()])
  await lobbyOf(env)
  groupId = (await env.transfer.importGroup({ name: 'Imported' })).groupId
})

type Wanted = MessageInitShape<typeof ImportRoomRequestSchema>
const createdAt = timestampFromDate(new Date('2019-05-01T12:00:00Z'))
const importRoom = (externalId: string, more: Wanted = {}) =>
  env.transfer.importRoom({ source: 'slack:T1', externalId, name: externalId, groupId, createdAt, ...more })
const listRoomIds = async (userId: string) =>
  (await env.as(userId).directory.listRooms({})).rooms.map(({ room }) => room?.id)

describe('a group', () => {
  test('is created once, and found by its name', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => env.transfer.importGroup({ name: 'Twice' })))
    expect(one?.groupId).toBe(other?.groupId)
    expect([one?.made, other?.made].sort()).toEqual([false, true])
    const { groups } = await env.transfer.exportLayout({})
    expect(groups.filter(({ name }) => name === 'Twice')).toHaveLength(1)
  })
})

describe('a channel', () => {
  test('is imported once, with members and time of creation', async () => {
    const wanted = { description: 'all of it', memberIds: ['Uann', 'Ubob', 'Uann'] }
    const [one, other] = await Promise.all([importRoom('tea', wanted), importRoom('tea', wanted)])
    expect(one?.roomId).toBe(other?.roomId)
    const { roomId } = one
    expect(env.messaging.kindsOf(roomId)).toEqual(['created', 'joined', 'joined'])
    const times = env.messaging
      .factsOf(roomId)
      .map(({ occurredAt }) => occurredAt && timestampDate(occurredAt).toISOString())
    expect(new Set(times)).toEqual(new Set([timestampDate(createdAt).toISOString()]))
    const { room } = await env.as('Uann').directory.getRoom({ roomId })
    expect(room).toMatchObject({
      room: { name: 'tea', description: 'all of it', groupId },
      viewerState: { isMember: true },
    })
  })

  test.each([
    ['taken', 'general', 'general-2'],
    ['invalid', 'smörgås bord!', 'smorgas-bord'],
    ['too long', 'x'.repeat(80), 'x'.repeat(30)],
  ])('whose name is %s gets another name', async (_, name, newName) => {
    expect(await importRoom(`named ${name}`, { name })).toMatchObject({ name: newName, made: true })
  })

  test('that is private is closed to non-members before it exists', async () => {
    env.admin.entryDenied.length = 0
    const { roomId } = await importRoom('secret', { private: true, memberIds: ['Uann'] })
    expect(env.admin.entryDenied).toEqual([roomId])
    expect(env.admin.existedWhenDenied).toBe(false)
  })

  test('that became private is restricted by the next import', async () => {
    const { roomId } = await importRoom('open once', { name: 'open-once' })
    env.admin.entryDenied.length = 0
    expect(await importRoom('open once', { private: true })).toMatchObject({ roomId, made: false })
    expect(env.admin.entryDenied).toEqual([roomId])
  })

  test('that is private is not created while entry cannot be denied', async () => {
    env.admin.unavailable = true
    await expect(importRoom('unsafe', { private: true })).rejects.toMatchObject({ code: Code.Unavailable })
    env.admin.unavailable = false
    expect((await env.transfer.exportRooms({ idsOrNames: ['unsafe'] })).rooms).toEqual([])
    expect(await importRoom('unsafe', { private: true })).toMatchObject({ made: true })
  })

  test('gets new members, each once', async () => {
    const { roomId } = await importRoom('more', { memberIds: ['Uann'] })
    expect(await env.transfer.importMembers({ roomId, userIds: ['Ubob', 'Uann', 'Ubob'] })).toMatchObject({ added: 1 })
    expect(await env.transfer.importMembers({ roomId, userIds: ['Ubob'] })).toMatchObject({ added: 0 })
    expect((await env.transfer.exportMembers({ roomId })).userIds).toEqual(['Uann', 'Ubob'])
    expect((await env.transfer.exportMembers({ roomId, after: 'Uann' })).userIds).toEqual(['Ubob'])
    expect(await listRoomIds('Ubob')).toContain(roomId)
  })

  test('is archived once', async () => {
    const { roomId } = await importRoom('old', { memberIds: ['Uann'] })
    await env.transfer.archiveImportedRoom({ roomId })
    await env.transfer.archiveImportedRoom({ roomId })
    expect(env.messaging.kindsOf(roomId)).toEqual(['created', 'joined', 'archived'])
  })

  test('called announcements gets another name', async () => {
    const { name } = await importRoom('announcements')
    expect(name).toBe('announcements-2')
  })
})

test('a description is cut to 500 storable characters', async () => {
  const description = `a\0${'b'.repeat(600)}`
  await importRoom('with nul', { name: 'with-nul', description })
  await env.transfer.importGroup({ name: 'With nul', description })
  const { rooms } = await env.transfer.exportRooms({ idsOrNames: ['with-nul'] })
  const { groups } = await env.transfer.exportLayout({})
  const group = groups.find(({ name }) => name === 'With nul')
  expect([rooms[0]?.description, group?.description]).toEqual(Array(2).fill(`a${'b'.repeat(499)}`))
})

describe('a direct message', () => {
  test('is imported as the existing direct message of the same participants', async () => {
    const { roomId, name } = await importRoom('D1', { dm: true, memberIds: ['Ubob', 'Uann'] })
    expect(name).toBe('')
    expect(await importRoom('D2', { dm: true, memberIds: ['Uann', 'Ubob'] })).toMatchObject({ roomId, made: false })
    const { room } = await env.as('Uann').rooms.startDM({ participantIds: ['Ubob'] })
    expect(room?.id).toBe(roomId)
  })

  test('is in no group and cannot be archived', async () => {
    const { roomId } = await importRoom('D3', { dm: true, memberIds: ['Ubob', 'Ucid'] })
    const refused = { code: Code.InvalidArgument }
    await expect(env.transfer.removeImportedGroup({ groupId, roomIds: [roomId] })).rejects.toMatchObject(refused)
    await expect(env.transfer.archiveImportedRoom({ roomId })).rejects.toMatchObject(refused)
  })
})

test.each([
  ['with an empty id', { externalId: '' }, Code.InvalidArgument],
  ['with an id that contains NUL', { externalId: 'C\0' }, Code.InvalidArgument],
  ['with an id of 201 characters', { externalId: 'C'.repeat(201) }, Code.InvalidArgument],
  ['in an unknown group', { externalId: 'nowhere', groupId: 'Gnone' }, Code.NotFound],
  ['without participants', { externalId: 'nobody', dm: true }, Code.InvalidArgument],
  [
    'with too many participants',
    { externalId: 'many', dm: true, memberIds: 'abcdefghijk'.split('') },
    Code.InvalidArgument,
  ],
] satisfies [string, Wanted, Code][])('a room %s is refused', async (_, wanted, code) => {
  await expect(importRoom('', wanted)).rejects.toMatchObject({ code })
})

test.each(privatePermissions)('an export marks a room as private if %s is denied to everyone', async (permission) => {
  const { roomId } = await importRoom(permission, { name: permission.replace('.', '-') })
  const { rooms } = await env.transfer.exportRooms({ idsOrNames: [roomId] })
  expect(rooms).toMatchObject([{ roomId: roomIdOf(permission), private: true }])
})

test('an export does not mark an archived room as private', async () => {
  const { roomId } = await importRoom('put away')
  await env.transfer.archiveImportedRoom({ roomId })
  const { rooms } = await env.transfer.exportRooms({ idsOrNames: [roomId] })
  expect(rooms).toMatchObject([{ archived: true, private: false }])
})

test('removing an imported group moves the given channels to another group; the group stays if it has other channels', async () => {
  const sample = await env.transfer.importGroup({ name: 'To go' })
  const [mine, other] = [
    await importRoom('of the sample', { groupId: sample.groupId }),
    await importRoom('of others', { groupId: sample.groupId }),
  ]
  const remove = () => env.transfer.removeImportedGroup({ groupId: sample.groupId, roomIds: [mine.roomId] })
  const groupsWith = async ({ roomId }: { roomId: string }) =>
    (await env.transfer.exportLayout({})).groups.flatMap((group) =>
      group.roomIds.includes(roomId) ? [group.name] : [],
    )
  expect((await remove()).removed).toBe(false)
  expect(await groupsWith(mine)).not.toContain('To go')
  expect(await groupsWith(other)).toEqual(['To go'])
  await env.transfer.removeImportedGroup({ groupId: sample.groupId, roomIds: [other.roomId] })
  expect(await groupsWith(other)).toEqual(await groupsWith(mine))
  expect((await remove()).removed).toBe(true)
  const { groups } = await env.transfer.exportLayout({})
  expect(groups.map(({ name }) => name)).not.toContain('To go')
})

test('an export returns the order of channels in their groups', async () => {
  const ordered = await env.transfer.importGroup({ name: 'Ordered' })
  const made: string[] = []
  for (let index = 0; index < 6; index++)
    made.push((await importRoom(`ordered ${index}`, { groupId: ordered.groupId })).roomId)
  const { groups } = await env.transfer.exportLayout({})
  expect(groups.find(({ groupId }) => groupId === ordered.groupId)?.roomIds).toEqual(made)
})

test('an export finds a room by its name, and continues after an id', async () => {
  const { roomId } = await importRoom('exported', { description: 'what' })
  const { rooms } = await env.transfer.exportRooms({ idsOrNames: ['EXPORTED'] })
  expect(rooms).toMatchObject([
    { roomId, dm: false, name: 'exported', description: 'what', groupId, private: false, universal: false, createdAt },
  ])
  expect((await env.transfer.exportRooms({ idsOrNames: [roomId], after: roomId })).rooms).toEqual([])
  expect((await env.transfer.exportLayout({})).serverId).toMatch(/^G/)
})
