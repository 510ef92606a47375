import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { and, eq, gt } from 'drizzle-orm'
import {
  erasures,
  idempotentCalls,
  inbox,
  people,
  roomBans,
  roomFacts,
  roomMembers,
  rooms,
} from '../src/store/schema.ts'
import { createDm } from './_seeds.ts'
import { codeOf, makeRoom, useEnv, person, type Env } from './_env.ts'

const env = useEnv()
let service: Awaited<ReturnType<Env['start']>>
const start = async () => void (service = await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' }))

beforeAll(async () => {
  env.accounts.people = ['Ugone', 'Uback', 'Umod', 'Ubob'].map((userId) => person(userId))
  await start()
})

const waitForFound = (pass: number) => eventually(() => env.erasures.found('Ugone', pass)?.toString() ?? false)
const rowsOfGone = async () => ({
  members: await env.db.select().from(roomMembers).where(eq(roomMembers.userId, 'Ugone')),
  bans: await env.db.select().from(roomBans).where(eq(roomBans.userId, 'Ugone')),
  calls: await env.db.select().from(idempotentCalls).where(eq(idempotentCalls.callerId, 'Ugone')),
  people: await env.db.select().from(people).where(eq(people.userId, 'Ugone')),
})
const reasonsIn = async (roomId: string) => {
  const stored = await env.db.select().from(roomFacts).where(eq(roomFacts.roomId, roomId)).orderBy(roomFacts.version)
  return stored.flatMap(({ reason }) => reason ?? [])
}

test('a deleted person leaves every room, and bans and names are deleted', async () => {
  const [joined, banned, lifted] = [
    await makeRoom(env, 'joined'),
    await makeRoom(env, 'banned'),
    await makeRoom(env, 'lifted'),
  ]
  const gone = env.as('Ugone').rooms
  for (const roomId of [joined, banned, lifted]) await gone.joinRoom({ roomId })
  await env.as('Ubob').rooms.joinRoom({ roomId: lifted })
  const moderator = env.as('Umod', 'moderator').rooms
  for (const roomId of [banned, lifted]) await moderator.banMember({ roomId, userId: 'Ugone', reason: 'their words' })
  await moderator.banMember({ roomId: lifted, userId: 'Ubob', reason: 'about another' })
  await moderator.unbanMember({ roomId: lifted, userId: 'Ugone', reason: 'peace' })
  expect(await reasonsIn(lifted)).toEqual(['their words', 'about another', 'peace'])
  const direct = await createDm(env, ['Ugone', 'Ubob'])
  await eventually(async () => expect((await rowsOfGone()).people).toHaveLength(1))

  // The pass needs this room's event on the stream, too.
  env.messaging.offStream.add(joined)
  await requestErasure(env.bus, 'Ugone', 1)
  await eventually(() => expect(env.messaging.kindsOf(joined).at(-1)).toBe('left'))
  expect(env.erasures.found('Ugone', 1)).toBeUndefined()
  env.messaging.offStream.delete(joined)
  await waitForFound(1)

  expect(env.messaging.kindsOf(joined).at(-1)).toBe('left')
  expect(env.messaging.kindsOf(direct).at(-1)).toBe('left')
  expect(env.messaging.kindsOf(banned).at(-1)).toBe('unbanned')
  expect(env.messaging.kindsOf(lifted).at(-1)).toBe('unbanned')
  const { members, bans, calls, people: known } = await rowsOfGone()
  expect(members.every(({ member }) => !member)).toBe(true)
  expect({ bans, calls }).toEqual({ bans: [], calls: [] })
  expect([await reasonsIn(banned), await reasonsIn(lifted)]).toEqual([[], ['about another']])
  expect(known).toMatchObject([{ login: '', displayName: '', nameKey: '', deleted: true }])
  expect(await codeOf(gone.joinRoom({ roomId: joined }))).toBe(Code.Unauthenticated)
  expect((await env.internal.getRoomAccess({ userId: 'Ubob', roomId: direct })).effectiveMember).toBe(true)

  await requestErasure(env.bus, 'Ugone', 2)
  expect(await waitForFound(2)).toBe('0')
})

test('after a restore to before the deletion, the person is erased again', async () => {
  const roomId = await makeRoom(env, 'put-back')
  await env.as('Uback').rooms.joinRoom({ roomId })
  const [version, known] = [env.messaging.versionOf(roomId), env.messaging.factsOf(roomId).length]
  await requestErasure(env.bus, 'Uback', 1)
  await eventually(() => expect(env.erasures.found('Uback', 1)).toBeDefined())
  expect(env.messaging.kindsOf(roomId).slice(known)).toEqual(['left'])

  await service[Symbol.asyncDispose]()
  await env.db.transaction(async (tx) => {
    await tx.delete(roomFacts).where(and(eq(roomFacts.roomId, roomId), gt(roomFacts.version, version)))
    await tx.update(rooms).set({ version }).where(eq(rooms.id, roomId))
    await tx.update(roomMembers).set({ member: true, version }).where(eq(roomMembers.userId, 'Uback'))
    await tx.delete(erasures).where(eq(erasures.userId, 'Uback'))
    await tx.delete(inbox).where(eq(inbox.consumer, 'rooms-erasures'))
  })
  await start()
  const standing = () => env.db.select().from(roomMembers).where(eq(roomMembers.userId, 'Uback'))
  await eventually(async () => expect(await standing()).toMatchObject([{ member: false }]))
  await eventually(() => expect(env.messaging.factsOf(roomId).length).toBeGreaterThan(known + 1))
  await eventually(() => expect(env.messaging.kindsOf(roomId).at(-1)).toBe('left'))
})
