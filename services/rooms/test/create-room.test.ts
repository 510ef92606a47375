import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { PolicyDecisionSchema, type Event } from '@parley/contracts/internal'
import { eq } from 'drizzle-orm'
import { eventually, recordEvents } from '@parley/testkit'
import { rooms } from '../src/store/schema.ts'
import { codeOf, lobbyOf, makeRoom, openEnv, type Env } from './_env.ts'

let env: Env
let groupId: string

beforeAll(async () => {
  env = await openEnv()
  await env.start()
  groupId = await lobbyOf(env)
})
afterAll(() => env[Symbol.asyncDispose]())

const admin = () => env.as('Uadmin', 'admin')

describe('CreateRoom', () => {
  test('creates a room with its creator as member', async () => {
    const { room } = await admin().rooms.createRoom({ name: 'Tea-Time_1', description: 'leaves', groupId })
    const description = 'leaves'
    expect(room).toMatchObject({ kind: RoomKind.CHANNEL, name: 'Tea-Time_1', description, groupId, universal: false })
    const roomId = room?.id ?? ''
    expect(env.messaging.factsOf(roomId)).toMatchObject([
      { version: 1n, actorId: 'Uadmin', fact: { case: 'created', value: { name: 'Tea-Time_1', groupId } } },
      { previousVersion: 1n, actorId: 'Uadmin', fact: { case: 'joined', value: { userId: 'Uadmin' } } },
    ])
    const seen = await admin().directory.getRoom({ roomId })
    expect(seen.room?.viewerState).toMatchObject({ isMember: true, hasUnread: false })
  })

  test('makes a universal room without explicit members', async () => {
    const roomId = await makeRoom(env, 'everyone', { universal: true })
    expect(env.messaging.kindsOf(roomId)).toEqual(['created'])
    const seen = await env.as('Uanyone').directory.getRoom({ roomId })
    expect(seen.room).toMatchObject({ room: { universal: true }, viewerState: { isMember: true } })
  })

  test('puts the room at the end of its group', async () => {
    await using received = await recordEvents(env.bus, 'evt.layout.>')
    const roomId = await makeRoom(env, 'last')
    const { group } = await admin().directory.getRoomGroup({ groupId })
    expect(group?.items.at(-1)?.item).toMatchObject({ case: 'room', value: { room: { id: roomId } } })
    // The layout event of an earlier room may arrive late.
    const isOfRoom = ({ fact }: Event) => fact.case === 'layoutChanged' && fact.value.roomId === roomId
    const event = await eventually(() => received.events.find(isOfRoom) ?? false)
    expect(event).toMatchObject({
      kind: 'room_groups_updated',
      aggregateType: 'layout',
      aggregateId: 'server',
      actorId: 'Uadmin',
      fact: { case: 'layoutChanged', value: { groupId, roomId } },
      deliveries: [{ audience: { case: 'everyone', value: true } }],
    })
  })

  test.each(['two words', 'käse', 'dot.ted'])('refuses the name %j', async (name) => {
    expect(await codeOf(admin().rooms.createRoom({ name, groupId }))).toBe(Code.InvalidArgument)
  })

  test.each([
    ['an empty name', { name: '' }],
    ['a name of 31 characters', { name: 'x'.repeat(31) }],
    ['a description of 501 characters', { name: 'long', description: 'x'.repeat(501) }],
    ['an empty group id', { name: 'nowhere', groupId: '' }],
  ])('refuses %s', async (_what, request) => {
    expect(await codeOf(admin().rooms.createRoom({ groupId, ...request }))).toBe(Code.InvalidArgument)
  })

  test('refuses an unknown group', async () => {
    expect(await codeOf(admin().rooms.createRoom({ name: 'lost', groupId: 'Gnone' }))).toBe(Code.NotFound)
  })

  test('needs room.create in the group', async () => {
    const request = { name: 'by-bob', groupId }
    expect(await codeOf(env.as('Ubob').rooms.createRoom(request))).toBe(Code.PermissionDenied)
    expect(await codeOf(env.as('Ubob', 'moderator').rooms.createRoom(request))).toBe(Code.PermissionDenied)
    expect(await codeOf(env.as('Uowner', 'owner').rooms.createRoom(request))).toBeUndefined()
  })

  test('refuses a taken name in any letter case', async () => {
    const roomId = await makeRoom(env, 'Taken')
    expect(await codeOf(admin().rooms.createRoom({ name: 'tAKEN', groupId }))).toBe(Code.AlreadyExists)
    await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, roomId))
    expect(await codeOf(admin().rooms.createRoom({ name: 'taken', groupId }))).toBe(Code.AlreadyExists)
  })

  test('denies posting in announcements before it creates the room', async () => {
    await env.db.update(rooms).set({ nameKey: 'old-news', name: 'old-news' }).where(eq(rooms.nameKey, 'announcements'))
    env.admin.unavailable = true
    const request = { name: 'Announcements', groupId }
    expect(await codeOf(admin().rooms.createRoom(request))).toBe(Code.Unavailable)
    expect(await env.db.select().from(rooms).where(eq(rooms.nameKey, 'announcements'))).toEqual([])
    env.admin.unavailable = false
    const { room } = await admin().rooms.createRoom(request)
    expect(env.admin.postingDenied).toContain(room?.id)
  })
})

test('of concurrent calls for one name at two processes, one creates a room', async () => {
  await env.start()
  for (const round of ['r1', 'r2', 'r3', 'r4', 'r5']) {
    const calls = ['A', 'a', 'A', 'a'].map((letter) =>
      admin().rooms.createRoom({ name: `${round}-${letter}`, groupId }),
    )
    const codes = await Promise.all(calls.map(codeOf))
    expect(codes.filter((code) => code === undefined)).toHaveLength(1)
    expect(codes.filter((code) => code === Code.AlreadyExists)).toHaveLength(3)
  }
})

test('a decision for a group lets the holders of a role create rooms in it', async () => {
  await using fresh = await openEnv()
  const first = await fresh.start()
  const here = await lobbyOf(fresh)
  await first[Symbol.asyncDispose]()
  fresh.admin.policy.decisions.push(
    create(PolicyDecisionSchema, {
      roleId: 'moderator',
      permission: 'room.create',
      scope: { kind: PermissionScopeKind.GROUP, id: here },
      decision: PermissionDecision.ALLOW,
    }),
  )
  await fresh.start()
  const moderator = fresh.as('Umod', 'moderator').rooms
  expect(await codeOf(moderator.createRoom({ name: 'here', groupId: here }))).toBeUndefined()
  expect(await codeOf(fresh.as('Ubob').rooms.createRoom({ name: 'there', groupId: here }))).toBe(Code.PermissionDenied)
})
