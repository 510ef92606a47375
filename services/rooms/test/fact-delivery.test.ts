import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { eventually } from '@parley/testkit'
import type { Service } from '@parley/runtime'
import { and, eq, isNull } from 'drizzle-orm'
import { changeMembership, lockRoom } from '../src/store/changes.ts'
import { roomFacts } from '../src/store/schema.ts'
import { codeOf, lobbyOf, makeRoom, useEnv, person } from './_env.ts'

const impatient = { PARLEY_ROOMS_HAND_OVER_TIMEOUT: '2s' }

const env = useEnv({ outages: true })
let service: Service
let room: string
let made = 0

beforeAll(async () => {
  service = await env.start(impatient)
  await lobbyOf(env)
})
beforeEach(async () => {
  room = await makeRoom(env, `delivery-${++made}`)
})

const join = (userId: string) => env.as(userId).rooms.joinRoom({ roomId: room })
const leave = (userId: string) => env.as(userId).rooms.leaveRoom({ roomId: room })
const unapplied = async () =>
  await env.db
    .select()
    .from(roomFacts)
    .where(and(eq(roomFacts.roomId, room), isNull(roomFacts.appliedAt)))
const allApplied = () => eventually(async () => (await unapplied()).length === 0)

/** Joins in a process that dies before it delivers the fact. */
async function joinAndCrash(userId: string, at = new Date()): Promise<void> {
  await env.db.transaction(async (tx) => {
    const locked = await lockRoom(tx, room)
    if (locked) await changeMembership(tx, locked, { userId, member: true }, { actorId: userId, at })
  })
}

describe('while messaging does not answer', () => {
  test('a change fails with unavailable, and a repetition succeeds later', async () => {
    env.messaging.stopAnswering()
    expect(await codeOf(join('Ualice'))).toBe(Code.Unavailable)
    expect(await codeOf(join('Ualice'))).toBe(Code.Unavailable)
    env.messaging.answer()
    await join('Ualice')
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined'])
  })

  test('a change fails within the deadline of its caller', async () => {
    await service[Symbol.asyncDispose]()
    service = await env.start()
    env.messaging.stopAnswering()
    // Repeated, because only a quarter of a second is left for the response, which may be late.
    let tries = 0
    await eventually(async () => {
      const call = env.as(`Ubob${++tries}`).rooms.joinRoom({ roomId: room }, { timeoutMs: 1200 })
      expect(await codeOf(call)).toBe(Code.Unavailable)
    })
    env.messaging.answer()
    await service[Symbol.asyncDispose]()
    service = await env.start(impatient)
    await join(`Ubob${tries}`)
  })

  test('facts that messaging did not accept are delivered later', async () => {
    env.messaging.stopAnswering()
    expect(await codeOf(join('Ucarol'))).toBe(Code.Unavailable)
    env.messaging.answer()
    await eventually(() => expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined']))
    await allApplied()
  })

  test('the directory fails with unavailable for members only', async () => {
    env.messaging.stopAnswering()
    await eventually(async () => {
      const own = env.as('Uadmin', 'admin').directory.getRoom({ roomId: room }, { timeoutMs: 4500 })
      expect(await codeOf(own)).toBe(Code.Unavailable)
    })
    const { room: seen } = await env.as('Ustranger').directory.getRoom({ roomId: room })
    expect(seen?.viewerState).toMatchObject({ isMember: false, hasUnread: false })
    env.messaging.answer()
  })
})

describe('facts left behind', () => {
  test('by a dead process are delivered', async () => {
    const other = await env.start()
    await joinAndCrash('Udave', new Date(Date.now() - 5000))
    await other[Symbol.asyncDispose]()
    await eventually(() => expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined']))
    await allApplied()
  })

  test('are sent before the fact of the next call', async () => {
    await joinAndCrash('Uerin', new Date(Date.now() + 60_000))
    await join('Ufrank')
    expect(env.messaging.factsOf(room).map(({ actorId }) => actorId)).toEqual(['Uadmin', 'Uadmin', 'Uerin', 'Ufrank'])
  })

  test('are delivered before a repeat of their change succeeds', async () => {
    await joinAndCrash('Ugrace', new Date(Date.now() + 60_000))
    await join('Ugrace')
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined'])
  })
})

describe('messaging after a restore', () => {
  test('receives its lost facts again without a change of the room', async () => {
    await join('Uheidi')
    await allApplied()
    env.messaging.restore(room, 1)
    await eventually(() => expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined']))
  })

  test('receives all facts of a room that it has lost, once the room changes', async () => {
    await allApplied()
    env.messaging.restore(room, 0)
    await join('Uivan')
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined'])
  })
})

describe('a change that removes access', () => {
  test('and its repeat succeed only after the event is on the stream', async () => {
    env.messaging.offStream.add(room)
    expect(await codeOf(leave('Uadmin'))).toBe(Code.Unavailable)
    expect(await codeOf(leave('Uadmin'))).toBe(Code.Unavailable)
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'left'])
    env.messaging.offStream.delete(room)
    expect(await leave('Uadmin')).toMatchObject({ left: true })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'left'])
  })

  test('still waits for the stream after a later change succeeded', async () => {
    env.messaging.offStream.add(room)
    expect(await codeOf(leave('Uadmin'))).toBe(Code.Unavailable)
    await join('Umike')
    await eventually(async () => expect(await unapplied()).toHaveLength(1))
    expect(await codeOf(leave('Uadmin'))).toBe(Code.Unavailable)
    env.messaging.offStream.delete(room)
    await leave('Uadmin')
    await allApplied()
  })

  test('does not delay changes that give access', async () => {
    env.messaging.offStream.add(room)
    const leaving = codeOf(leave('Uadmin'))
    await join('Ujudy')
    expect(await leaving).toBe(Code.Unavailable)
    env.messaging.offStream.delete(room)
  })
})

describe('a call whose change is already made', () => {
  test('waits only for its own fact', async () => {
    const rooms = env.as('Uadmin', 'admin').rooms
    // On a busy machine a change may miss its deadline; a retry succeeds.
    await Promise.all(['Unina', 'Uolga', 'Upaul'].map((userId) => eventually(() => join(userId))))
    env.accounts.people = [person('Upaul')]
    await eventually(() => rooms.banMember({ roomId: room, userId: 'Upaul', reason: 'noise' }))
    await eventually(() => rooms.unbanMember({ roomId: room, userId: 'Upaul', reason: 'peace' }))
    env.messaging.offStream.add(room)
    expect(await codeOf(leave('Uolga'))).toBe(Code.Unavailable)
    expect(await codeOf(join('Unina'))).toBeUndefined()
    expect(await codeOf(rooms.unbanMember({ roomId: room, userId: 'Upaul', reason: 'peace' }))).toBeUndefined()
    expect(await codeOf(rooms.unarchiveRoom({ roomId: room }))).toBeUndefined()
    expect(await codeOf(leave('Uolga'))).toBe(Code.Unavailable)
    env.messaging.offStream.delete(room)
    await eventually(() => leave('Uolga'))
  })
})

test('two processes deliver the facts of one room without gaps or duplicates', async () => {
  const second = await env.start(impatient)
  await Promise.all(Array.from({ length: 30 }, (_, n) => join(`Ucrowd${n}`)))
  const facts = env.messaging.factsOf(room)
  expect(facts).toHaveLength(32)
  expect(facts.slice(1).map(({ previousVersion }) => previousVersion)).toEqual(
    facts.slice(0, -1).map(({ version }) => version),
  )
  await second[Symbol.asyncDispose]()
})

test('calls fail with unavailable without PostgreSQL, and work again afterwards', async () => {
  await env.database.stop()
  expect(await codeOf(join('Uken'))).toBe(Code.Unavailable)
  await env.database.start()
  await eventually(() => join('Uken'))
  expect(env.messaging.factsOf(room).at(-1)).toMatchObject({ actorId: 'Uken' })
})

test('calls work again after an outage of NATS', async () => {
  await env.nats.stop()
  await env.nats.start()
  await eventually(() => join('Uliam'))
  expect(env.messaging.factsOf(room).at(-1)).toMatchObject({ actorId: 'Uliam' })
})
