import { beforeAll, describe, expect, test } from '@jest/globals'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { PolicyDecisionSchema, PolicyRoleSchema, type ListRecipientsRequestSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { people, roomMembers, rooms } from '../src/store/schema.ts'
import { ban, decisionFor, createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, openEnv, useEnv, person } from './_env.ts'

const env = useEnv()
let tea: string
let everyone: string
let shelved: string
let direct: string

const future = new Date('2100-01-01T00:00:00Z')
const past = new Date('2020-01-01T00:00:00Z')
const deniedRole = create(PolicyDecisionSchema, {
  ...{ roleId: 'guest', permission: 'room.join', scope: { kind: PermissionScopeKind.SERVER } },
  decision: PermissionDecision.DENY,
})

beforeAll(async () => {
  env.accounts.people = [
    person('Uadmin', { roleIds: ['admin'] }),
    person('Ualice'),
    person('Ubanned', { roleIds: ['moderator'] }),
    person('Ubob', { roleIds: ['moderator'] }),
    person('Uexpired'),
    person('Ugone', { deleted: true }),
    person('Uguest', { roleIds: ['guest'] }),
    person('Umodguest', { roleIds: ['guest', 'moderator'] }),
    person('Uowner', { roleIds: ['owner', 'guest'] }),
    person('Uunwanted'),
  ]
  env.admin.policy.decisions.push(decisionFor({ userId: 'Uunwanted', permission: 'room.join', deny: true }), deniedRole)
  env.admin.policy.roles.push(create(PolicyRoleSchema, { id: 'guest', name: 'guest', displayName: 'Guest' }))
  await env.start()
  await lobbyOf(env)
  tea = await makeRoom(env, 'tea')
  everyone = await makeRoom(env, 'everyone', { universal: true })
  shelved = await makeRoom(env, 'shelved')
  direct = await createDm(env, ['Ualice', 'Ubob'])
  const members = (roomId: string, userIds: string[]) =>
    userIds.map((userId) => ({ roomId, userId, member: true, version: 9n, since: new Date() }))
  await env.db.insert(roomMembers).values([
    // Rooms has not received the account of Uunheard.
    ...members(tea, ['Ualice', 'Ubanned', 'Ubob', 'Uexpired', 'Ugone', 'Uguest', 'Uunheard']),
    ...members(everyone, ['Uguest', 'Ubanned']),
    ...members(shelved, ['Ualice']),
    { ...{ roomId: tea, userId: 'Uleft', member: false }, version: 9n, since: new Date() },
  ])
  await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, shelved))
  for (const roomId of [tea, everyone]) {
    await ban(env.db, roomId, 'Ubanned', { expiresAt: future })
    await ban(env.db, roomId, 'Uexpired', { expiresAt: past })
  }
  await eventually(async () => (await env.db.select().from(people)).length === env.accounts.people.length)
})

const ids = (count: number) => Array.from({ length: count }, (_, n) => `X${n}`)
const memberOf = (roomId: string) => (userId: string) => ({
  ...{ roomId, userId, member: true, version: 9n, since: new Date() },
})
const list = async (requested: MessageInitShape<typeof ListRecipientsRequestSchema>) =>
  (await env.internal.listRecipients({ limit: 1000, ...requested })).userIds

describe('ListRecipients', () => {
  test('of a whole room returns members without banned, deleted and former ones', async () => {
    const found = await env.internal.listRecipients({ roomId: tea, all: true, limit: 1000 })
    expect(found.userIds).toEqual(['Uadmin', 'Ualice', 'Ubob', 'Uexpired', 'Uguest', 'Uunheard'])
    expect(found.room).toMatchObject({ roomId: tea, kind: RoomKind.CHANNEL, name: 'tea', universal: false })
  })

  test('of a whole universal room returns all who may join', async () => {
    expect(await list({ roomId: everyone, all: true })).toEqual([
      ...['Uadmin', 'Ualice', 'Ubob', 'Uexpired', 'Uguest', 'Uowner'],
    ])
  })

  test('of a whole universal room without denials returns everybody', async () => {
    await using other = await openEnv()
    other.accounts.people = [person('Ualice'), person('Ugone', { deleted: true }), person('Uother')]
    await other.start()
    await lobbyOf(other)
    const roomId = await makeRoom(other, 'open', { universal: true })
    await eventually(async () => (await other.db.select().from(people)).length === 3)
    expect((await other.internal.listRecipients({ roomId, all: true })).userIds).toEqual(['Ualice', 'Uother'])
  })

  test('of users returns the members among them', async () => {
    const userIds = ['Ubob', 'Uleft', 'Unobody', 'Ubanned', 'Ugone', 'Uunheard', 'Ualice', 'Uowner']
    expect(await list({ roomId: tea, userIds })).toEqual(['Ualice', 'Ubob', 'Uunheard'])
    const others = ['Uunwanted', 'Uguest', 'Umodguest', 'Ualice', 'Uowner', 'Ubanned', 'Ugone']
    expect(await list({ roomId: everyone, userIds: others })).toEqual(['Ualice', 'Uguest', 'Uowner'])
  })

  test('of roles returns the members who have one of them', async () => {
    expect(await list({ roomId: tea, roleIds: ['moderator', 'admin'] })).toEqual(['Uadmin', 'Ubob'])
    expect(await list({ roomId: everyone, roleIds: ['moderator'] })).toEqual(['Ubob'])
    expect(await list({ roomId: everyone, roleIds: ['guest'] })).toEqual(['Uguest', 'Uowner'])
    expect(await list({ roomId: tea, roleIds: ['none'] })).toEqual([])
  })

  test('combines several selections without duplicates', async () => {
    const requested = { roomId: tea, userIds: ['Uexpired', 'Ubob'], roleIds: ['moderator', 'guest'] }
    expect(await list(requested)).toEqual(['Ubob', 'Uexpired', 'Uguest'])
    expect(await list({ ...requested, limit: 2 })).toEqual(['Ubob', 'Uexpired'])
    expect(await list({ ...requested, limit: 2, after: 'Uexpired' })).toEqual(['Uguest'])
    expect(await list({ ...requested, all: true })).toHaveLength(6)
    expect(await list({ roomId: tea })).toEqual([])
  })

  test('pages by user id', async () => {
    const pages: string[][] = []
    for (let after = ''; pages.at(-1)?.length !== 0; after = pages.at(-1)?.at(-1) ?? '') {
      pages.push(await list({ roomId: tea, all: true, after, limit: 4 }))
    }
    expect(pages).toEqual([['Uadmin', 'Ualice', 'Ubob', 'Uexpired'], ['Uguest', 'Uunheard'], []])
  })

  test('returns members of archived rooms and participants of direct messages', async () => {
    expect(await list({ roomId: shelved, all: true })).toEqual(['Uadmin', 'Ualice'])
    const found = await env.internal.listRecipients({ roomId: direct, all: true })
    expect(found).toMatchObject({ userIds: ['Ualice', 'Ubob'], room: { kind: RoomKind.DM, groupId: '', name: '' } })
    expect(await list({ roomId: direct, userIds: ['Ucarol', 'Ubob'] })).toEqual(['Ubob'])
  })

  test('returns neither users nor a room for an unknown room', async () => {
    const found = await env.internal.listRecipients({ roomId: 'Rnone', all: true, limit: 1000 })
    expect([found.userIds, found.room]).toEqual([[], undefined])
  })

  test('takes at most 1,000 users and 100 roles', async () => {
    expect(await list({ roomId: tea, userIds: ids(1000), roleIds: ids(100) })).toEqual([])
    expect(await codeOf(list({ roomId: tea, userIds: ids(1001) }))).toBe(Code.InvalidArgument)
    expect(await codeOf(list({ roomId: tea, roleIds: ids(101) }))).toBe(Code.InvalidArgument)
  })
})

describe('ListPresenceAudiences', () => {
  const othersOf = async (...userIds: string[]) =>
    (await env.internal.listPresenceAudiences({ userIds })).audiences.map(({ userId, others }) => [
      userId,
      others.toSorted(),
    ])

  test('returns people who share a direct message or a small channel, neither universal nor archived', async () => {
    const hall = await makeRoom(env, 'hall', { universal: true })
    for (const roomId of [hall, shelved])
      await env.db.insert(roomMembers).values(['Udora', 'Uemil'].map(memberOf(roomId)))
    const ofTea = ['Uadmin', 'Ubanned', 'Ubob', 'Uexpired', 'Ugone', 'Uguest', 'Uunheard']
    expect(await othersOf('Ualice', 'Uleft', 'Udora')).toEqual([
      ['Ualice', ofTea],
      ['Uleft', []],
      ['Udora', []],
    ])
  })

  test('excludes channels with more than 200 members', async () => {
    const crowd = await makeRoom(env, 'crowd')
    await env.db.insert(roomMembers).values(['Ucarl', ...ids(198)].map(memberOf(crowd)))
    expect((await othersOf('Ucarl'))[0]?.[1]).toHaveLength(199)
    await env.db.insert(roomMembers).values(memberOf(crowd)('Uonemore'))
    expect(await othersOf('Ucarl')).toEqual([['Ucarl', []]])
  })

  test('accepts at most 50 people', async () => {
    expect(await codeOf(othersOf(...ids(51)))).toBe(Code.InvalidArgument)
  })
})

describe('ListAccessibleRooms', () => {
  const accessibleRooms = async (userId: string, roleIds: string[] = []) => {
    const { rooms: found } = await env.internal.listAccessibleRooms({
      ...{ userId, roleIds, roomIds: [tea, everyone, shelved, direct, 'Rnone'] },
    })
    return new Set(found.map(({ roomId }) => roomId))
  }

  test('returns rooms of which the user is an effective member', async () => {
    expect(await accessibleRooms('Ualice')).toEqual(new Set([tea, everyone, shelved, direct]))
    expect(await accessibleRooms('Ubob', ['moderator'])).toEqual(new Set([tea, everyone, direct]))
    expect(await accessibleRooms('Ubanned', ['moderator'])).toEqual(new Set())
    expect(await accessibleRooms('Uunwanted')).toEqual(new Set())
    expect(await accessibleRooms('Uguest', ['guest'])).toEqual(new Set([tea, everyone]))
    expect(await accessibleRooms('Umodguest', ['guest', 'moderator'])).toEqual(new Set())
    expect(await accessibleRooms('Ugone')).toEqual(new Set())
    expect(await accessibleRooms('Ustranger')).toEqual(new Set([everyone]))
  })

  test('returns names, and accepts at most 500 ids', async () => {
    const { rooms: found } = await env.internal.listAccessibleRooms({ userId: 'Ualice', roomIds: [tea] })
    expect(found).toMatchObject([{ roomId: tea, name: 'tea', kind: RoomKind.CHANNEL, archived: false }])
    const roomIds = Array.from({ length: 501 }, (_, n) => `R${n}`)
    expect(await codeOf(env.internal.listAccessibleRooms({ userId: 'Ualice', roomIds }))).toBe(Code.InvalidArgument)
  })
})
