import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { idempotentCalls, people, roomBans, roomMembers } from '../src/store/schema.ts'
import { dm } from './_seeds.ts'
import { codeOf, makeRoom, openEnv, person, type Env } from './_env.ts'

let env: Env

beforeAll(async () => {
  env = await openEnv()
  env.accounts.people = ['Ugone', 'Umod', 'Ubob'].map((userId) => person(userId))
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' })
})
afterAll(() => env[Symbol.asyncDispose]())

const found = (pass: number) => eventually(() => env.erasures.found('Ugone', pass)?.toString() ?? false)
const ofGone = async () => ({
  members: await env.db.select().from(roomMembers).where(eq(roomMembers.userId, 'Ugone')),
  bans: await env.db.select().from(roomBans).where(eq(roomBans.userId, 'Ugone')),
  calls: await env.db.select().from(idempotentCalls).where(eq(idempotentCalls.callerId, 'Ugone')),
  people: await env.db.select().from(people).where(eq(people.userId, 'Ugone')),
})

test('a deleted person leaves every room by its log, their bans and names go, and nothing is written for them again', async () => {
  const [joined, banned, lifted] = [
    await makeRoom(env, 'joined'),
    await makeRoom(env, 'banned'),
    await makeRoom(env, 'lifted'),
  ]
  const gone = env.as('Ugone').rooms
  for (const roomId of [joined, banned, lifted]) await gone.joinRoom({ roomId })
  const moderator = env.as('Umod', 'moderator').rooms
  for (const roomId of [banned, lifted]) await moderator.banMember({ roomId, userId: 'Ugone', reason: 'their words' })
  await moderator.unbanMember({ roomId: lifted, userId: 'Ugone', reason: 'peace' })
  const direct = await dm(env, ['Ugone', 'Ubob'])
  await eventually(async () => expect((await ofGone()).people).toHaveLength(1))

  // Two rooms go on without messaging: the pass does not succeed before they are heard of.
  env.messaging.offStream.add(joined)
  await requestErasure(env.bus, 'Ugone', 1)
  await eventually(() => expect(env.messaging.kindsOf(joined).at(-1)).toBe('left'))
  expect(env.erasures.found('Ugone', 1)).toBeUndefined()
  env.messaging.offStream.delete(joined)
  await found(1)

  expect(env.messaging.kindsOf(joined).at(-1)).toBe('left')
  expect(env.messaging.kindsOf(direct).at(-1)).toBe('left')
  expect(env.messaging.kindsOf(banned).at(-1)).toBe('unbanned')
  expect(env.messaging.kindsOf(lifted).at(-1)).toBe('unbanned')
  const { members, bans, calls, people: known } = await ofGone()
  expect(members.every(({ member }) => !member)).toBe(true)
  expect({ bans, calls }).toEqual({ bans: [], calls: [] })
  expect(known).toMatchObject([{ login: '', displayName: '', nameKey: '', deleted: true }])
  expect(await codeOf(gone.joinRoom({ roomId: joined }))).toBe(Code.Unauthenticated)
  expect((await env.internal.getRoomAccess({ userId: 'Ubob', roomId: direct })).effectiveMember).toBe(true)

  await requestErasure(env.bus, 'Ugone', 2)
  expect(await found(2)).toBe('0')
})
