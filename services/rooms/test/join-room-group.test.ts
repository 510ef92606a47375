import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { eventually } from '@parley/testkit'
import { ban, decisionFor, createGroup } from './_seeds.ts'
import { codeOf, lobbyOf, useEnv } from './_env.ts'

const env = useEnv()
let groupId: string
let made = 0

beforeAll(async () => {
  env.admin.policy.decisions.push(
    decisionFor({ userId: 'Uunwanted', permission: 'room.join', groupId: 'Gjoin3', deny: true }),
    decisionFor({ userId: 'Ublind', permission: 'room.list', groupId: 'Gjoin4', deny: true }),
  )
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' })
  await lobbyOf(env)
})
beforeEach(async () => {
  groupId = `Gjoin${++made}`
  await createGroup(env.db, groupId, 10 + made)
})

const admin = () => env.as('Uadmin', 'admin')
const joinGroup = async (userId: string) => (await env.as(userId).rooms.joinRoomGroup({ groupId })).joinedRoomIds

async function newRoom(name: string, options: { universal?: boolean } = {}): Promise<string> {
  const { room } = await admin().rooms.createRoom({ name: `${name}-${made}`, groupId, ...options })
  return room?.id ?? ''
}
const isMember = async (userId: string, roomId: string) =>
  (await env.internal.getRoomAccess({ userId, roomId })).effectiveMember

test("JoinRoomGroup joins every joinable room, and returns their ids in the group's order", async () => {
  const [first, own, second] = [await newRoom('first'), await newRoom('own'), await newRoom('second')]
  const universal = await newRoom('universal', { universal: true })
  const [archived, closed] = [await newRoom('archived'), await newRoom('closed')]
  await env.as('Ualice').rooms.joinRoom({ roomId: own })
  await admin().rooms.archiveRoom({ roomId: archived })
  await ban(env.db, closed, 'Ualice')
  await admin().layout.reorderSidebarItemsInGroup({
    groupId,
    items: [second, first, own, universal, archived, closed].map((id) => ({ kind: 1, id })),
  })

  expect(await joinGroup('Ualice')).toEqual([second, first])
  for (const roomId of [first, second]) {
    expect(await isMember('Ualice', roomId)).toBe(true)
    expect(env.messaging.factsOf(roomId).at(-1)).toMatchObject({
      actorId: 'Ualice',
      fact: { case: 'joined', value: { userId: 'Ualice' } },
    })
  }
  expect(await isMember('Ualice', archived)).toBe(false)
  expect(await isMember('Ualice', closed)).toBe(false)
  expect(env.messaging.kindsOf(universal)).toEqual(['created'])
  expect(env.messaging.kindsOf(own)).toEqual(['created', 'joined', 'joined'])
  // A join is marked as applied only after the response; until then, a repeated call returns its room again.
  await eventually(async () => expect(await joinGroup('Ualice')).toEqual([]))
})

test('an expired ban does not prevent joining', async () => {
  const room = await newRoom('again')
  await ban(env.db, room, 'Utrudy', { expiresAt: new Date(Date.now() - 1000) })
  expect(await joinGroup('Utrudy')).toEqual([room])
})

test('rooms that may not be joined are skipped', async () => {
  const room = await newRoom('forbidden')
  expect(await joinGroup('Uunwanted')).toEqual([])
  expect(await isMember('Uunwanted', room)).toBe(false)
  expect(await joinGroup('Ubob')).toEqual([room])
})

test('rooms that may not be listed are skipped', async () => {
  const room = await newRoom('hidden')
  expect(await joinGroup('Ublind')).toEqual([])
  expect(await isMember('Ublind', room)).toBe(false)
  expect(await joinGroup('Ubob')).toEqual([room])
})

test('joining an unknown group fails; joining an empty one succeeds', async () => {
  expect(await codeOf(env.as('Ualice').rooms.joinRoomGroup({ groupId: 'Gnone' }))).toBe(Code.NotFound)
  expect(await codeOf(env.as('Ualice').rooms.joinRoomGroup({ groupId: '' }))).toBe(Code.InvalidArgument)
  expect(await joinGroup('Ualice')).toEqual([])
})

test('JoinRoomGroup fails with unavailable while messaging does not answer; a repeat joins each room once', async () => {
  const rooms = [await newRoom('late'), await newRoom('later')]
  env.messaging.stopAnswering()
  expect(await codeOf(joinGroup('Ucarol'))).toBe(Code.Unavailable)
  env.messaging.answer()
  await joinGroup('Ucarol')
  await eventually(async () => {
    for (const roomId of rooms) expect(env.messaging.kindsOf(roomId)).toEqual(['created', 'joined', 'joined'])
  })
  for (const roomId of rooms) expect(await isMember('Ucarol', roomId)).toBe(true)
})

test('people who join a group concurrently join each room once', async () => {
  await env.start()
  const rooms = await Promise.all(['a', 'b', 'c', 'd'].map((name) => newRoom(`crowd-${name}`)))
  const people = Array.from({ length: 8 }, (_, n) => `Ucrowd${n}`)
  const answers = await Promise.all(people.map((userId) => Promise.all([joinGroup(userId), joinGroup(userId)])))
  // One call of each person joins; the other also returns rooms whose join messaging has not applied yet.
  for (const both of answers) expect(new Set(both.flat())).toEqual(new Set(rooms))
  for (const roomId of rooms) {
    const joined = env.messaging
      .factsOf(roomId)
      .flatMap(({ fact }) => (fact.case === 'joined' ? fact.value.userId : []))
    expect(joined.sort()).toEqual(['Uadmin', ...people].sort())
  }
})
