import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { eventually } from '@parley/testkit'
import { and, eq } from 'drizzle-orm'
import { roomFact } from '../src/domain/room-fact.ts'
import { changeMembership, lockRoom } from '../src/store/changes.ts'
import { roomFacts, roomMembers, rooms } from '../src/store/schema.ts'
import { codeOf, lobbyOf, makeRoom, openEnv, person, type Env } from './_env.ts'

// Messaging holds a fact of a room that the database of rooms has lost, with a version above what its clock gives now.

let env: Env
let room: string
let made = 0

beforeAll(async () => {
  env = await openEnv()
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '2s' })
  await lobbyOf(env)
  env.accounts.people = [person('Ubob')]
})
beforeEach(async () => {
  room = await makeRoom(env, `lost-${++made}`)
})
afterAll(() => env[Symbol.asyncDispose]())

const join = (userId: string) => env.as(userId).rooms.joinRoom({ roomId: room })
const versions = () => env.messaging.factsOf(room).map(({ version }) => version)
const inAMinute = () => BigInt(Date.now() + 60_000) * 1000n

/** Gives messaging a fact that follows what it holds, and that rooms does not know. */
function lose(version = inAMinute()): void {
  const previous = env.messaging.versionOf(room)
  const cause = { actorId: 'Ulost', at: new Date() }
  env.messaging.hold(room, roomFact(previous, { case: 'left', value: { userId: 'Ulost' } }, cause, version))
}

/** Commits a change that is not handed over. */
const joinUnheard = (userId: string) =>
  env.db.transaction(async (tx) => {
    const locked = await lockRoom(tx, room)
    const cause = { actorId: userId, at: new Date() }
    if (locked) await changeMembership(tx, locked, { userId, member: true }, cause)
    const [row] = await tx.select().from(rooms).where(eq(rooms.id, room))
    return row?.version ?? 0n
  })

/** The actors of the newest facts, of which each follows the one before it. */
function newest(count: number): string[] {
  const facts = env.messaging.factsOf(room)
  expect(facts.slice(1).map(({ previousVersion }) => previousVersion)).toEqual(versions().slice(0, -1))
  return facts.slice(-count).map(({ actorId }) => actorId)
}

test.each(['ban', 'leave', 'archive'])('a %s is in effect when it is answered', async (change) => {
  const { rooms: asAdmin } = env.as('Uadmin', 'admin')
  await join('Ubob')
  lose()
  if (change === 'ban') await asAdmin.banMember({ roomId: room, userId: 'Ubob', reason: 'noise' })
  if (change === 'leave') await env.as('Ubob').rooms.leaveRoom({ roomId: room })
  if (change === 'archive') await asAdmin.archiveRoom({ roomId: room })
  const kind = { ban: 'banned', leave: 'left', archive: 'archived' }[change]
  expect(env.messaging.kindsOf(room).at(-1)).toBe(kind)
  expect(env.messaging.waitedForStream(room)).toBe(true)
  newest(1)
})

test('a change that messaging cannot take is unavailable, and taken later', async () => {
  lose()
  env.messaging.fallSilent()
  expect(await codeOf(join('Ubob'))).toBe(Code.Unavailable)
  env.messaging.speak()
  await eventually(() => expect(newest(1)).toEqual(['Ubob']))
})

test('changes that wait go on above it in their order, and what names them follows', async () => {
  await joinUnheard('Uone')
  await joinUnheard('Utwo')
  lose()
  await join('Uthree')
  expect(newest(4)).toEqual(['Ulost', 'Uone', 'Utwo', 'Uthree'])
  // A change is answered before that is noted.
  await eventually(async () => {
    const facts = await env.db.select().from(roomFacts).where(eq(roomFacts.roomId, room))
    expect(facts.map(({ appliedAt }) => appliedAt)).not.toContain(null)
  })
  const [member] = await env.db
    .select()
    .from(roomMembers)
    .where(and(eq(roomMembers.roomId, room), eq(roomMembers.userId, 'Utwo')))
  expect(member?.version).toBe(versions().at(-2))
})

test('another fact with the same version is none of the room', async () => {
  lose(await joinUnheard('Uone'))
  await join('Utwo')
  expect(newest(3)).toEqual(['Ulost', 'Uone', 'Utwo'])
})

test('two processes do it once', async () => {
  await using _second = await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '2s' })
  lose()
  const users = Array.from({ length: 20 }, (_, n) => `Ucrowd${n}`)
  // One whose fact got another version by the other process is told unavailable, and tries again.
  await Promise.all(users.map((userId) => eventually(() => join(userId))))
  expect(newest(20).sort()).toEqual(users.sort())
})

test.each([0, 1])('a messaging that then goes back, and still holds %s lost facts, is fed from there', async (lost) => {
  const before = versions().length
  lose()
  await join('Uone')
  env.messaging.restore(room, before + lost)
  await join('Utwo')
  expect(newest(2)).toEqual(['Uone', 'Utwo'])
  expect(versions()).toHaveLength(before + lost + 2)
})
