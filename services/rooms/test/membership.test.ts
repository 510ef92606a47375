import { beforeAll, describe, expect, test } from '@jest/globals'
import { create } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { PolicyDecisionSchema } from '@parley/contracts/internal'
import { retryWhileOverloaded } from '@parley/testkit'
import { eq } from 'drizzle-orm'
import { rooms } from '../src/store/schema.ts'
import { ban, createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv } from './_env.ts'

const env = useEnv()
let tea: string
let everyone: string
let closed: string
let dm: string

beforeAll(async () => {
  env.admin.policy.decisions.push(
    create(PolicyDecisionSchema, {
      userId: 'Uunwanted',
      permission: 'room.join',
      scope: { kind: PermissionScopeKind.SERVER },
      decision: PermissionDecision.DENY,
    }),
  )
  await env.start()
  await lobbyOf(env)
  tea = await makeRoom(env, 'tea')
  everyone = await makeRoom(env, 'everyone', { universal: true })
  closed = await makeRoom(env, 'closed')
  await env.db.update(rooms).set({ archived: true }).where(eq(rooms.id, closed))
  dm = await createDm(env, ['Ualice', 'Ubob'])
})

const join = (userId: string, roomId: string) => env.as(userId).rooms.joinRoom({ roomId })
const leave = (userId: string, roomId: string) => env.as(userId).rooms.leaveRoom({ roomId })
const isMember = async (userId: string, roomId: string) => {
  const { room } = await env.as(userId).directory.getRoom({ roomId })
  return room?.viewerState?.isMember
}

describe('JoinRoom', () => {
  test('makes the caller a member, and messaging has the fact before the response', async () => {
    const { room } = await join('Ucarol', tea)
    expect(room).toMatchObject({ id: tea, name: 'tea' })
    expect(env.messaging.factsOf(tea).at(-1)).toMatchObject({
      actorId: 'Ucarol',
      fact: { case: 'joined', value: { userId: 'Ucarol' } },
    })
    expect(await isMember('Ucarol', tea)).toBe(true)
  })

  test('twice has one effect', async () => {
    await join('Udave', tea)
    const facts = env.messaging.factsOf(tea).length
    await join('Udave', tea)
    expect(env.messaging.factsOf(tea)).toHaveLength(facts)
  })

  test('of a universal room writes nothing', async () => {
    await join('Ucarol', everyone)
    expect(env.messaging.kindsOf(everyone)).toEqual(['created'])
  })

  test.each<[string, () => string, string, Code]>([
    ['an unknown room', () => 'Rnone', 'Ualice', Code.NotFound],
    ['a direct message', () => dm, 'Ualice', Code.InvalidArgument],
    ['an archived room', () => closed, 'Ualice', Code.FailedPrecondition],
    ['a caller without room.join', () => tea, 'Uunwanted', Code.PermissionDenied],
    ['a caller without room.join in a universal room', () => everyone, 'Uunwanted', Code.PermissionDenied],
  ])('refuses %s', async (_what, room, userId, code) => {
    expect(await codeOf(join(userId, room()))).toBe(code)
  })

  test('refuses a banned person until the ban ends', async () => {
    await ban(env.db, tea, 'Umallory')
    expect(await codeOf(join('Umallory', tea))).toBe(Code.PermissionDenied)
    await ban(env.db, everyone, 'Umallory', { expiresAt: new Date(Date.now() + 60_000) })
    expect(await codeOf(join('Umallory', everyone))).toBe(Code.PermissionDenied)
    await ban(env.db, tea, 'Utrudy', { expiresAt: new Date(Date.now() - 1000) })
    expect(await codeOf(join('Utrudy', tea))).toBeUndefined()
  })
})

describe('LeaveRoom', () => {
  test('ends the membership, and its event is on the stream before the response', async () => {
    await join('Uerin', tea)
    expect(await leave('Uerin', tea)).toMatchObject({ left: true })
    expect(env.messaging.factsOf(tea).at(-1)).toMatchObject({ fact: { case: 'left', value: { userId: 'Uerin' } } })
    expect(env.messaging.waitedForStream(tea)).toBe(true)
    expect(await isMember('Uerin', tea)).toBe(false)
  })

  test('by a non-member succeeds and writes nothing', async () => {
    expect(await leave('Unobody', tea)).toMatchObject({ left: true })
    expect(env.messaging.factsOf(tea).filter(({ actorId }) => actorId === 'Unobody')).toEqual([])
  })

  test('of an archived room succeeds', async () => {
    expect(await leave('Uadmin', closed)).toMatchObject({ left: true })
    expect(env.messaging.kindsOf(closed)).toEqual(['created', 'joined', 'left'])
  })

  test.each<[string, () => string, Code]>([
    ['an unknown room', () => 'Rnone', Code.NotFound],
    ['a direct message', () => dm, Code.FailedPrecondition],
    ['a universal room', () => everyone, Code.FailedPrecondition],
  ])('refuses %s', async (_what, room, code) => {
    expect(await codeOf(leave('Ualice', room()))).toBe(code)
  })
})

test("after concurrent joins and leaves each person's last call counts", async () => {
  await env.start()
  const room = await makeRoom(env, 'busy')
  const people = Array.from({ length: 8 }, (_, n) => `Ubusy${n}`)
  await Promise.all(
    people.map(async (userId, n) => {
      for (let round = 0; round < 3; round++) {
        await Promise.all([
          retryWhileOverloaded(() => join(userId, room)),
          retryWhileOverloaded(() => join(userId, room)),
        ])
        await retryWhileOverloaded(() => leave(userId, room))
      }
      if (n % 2 === 0) await retryWhileOverloaded(() => join(userId, room))
    }),
  )
  const standing = new Map<string, boolean>()
  for (const { fact } of env.messaging.factsOf(room)) {
    if (fact.case !== 'joined' && fact.case !== 'left') continue
    const { userId } = fact.value
    expect(standing.get(userId) ?? false).toBe(fact.case === 'left')
    standing.set(userId, fact.case === 'joined')
  }
  expect(people.map((userId) => standing.get(userId))).toEqual(people.map((_, n) => n % 2 === 0))
  const [stored] = await env.db.select().from(rooms).where(eq(rooms.id, room))
  expect(stored?.version).toBe(env.messaging.versionOf(room))
})

test('after a concurrent join and leave, the room and its log agree', async () => {
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      retryWhileOverloaded(() => join('Ufickle', tea)),
      retryWhileOverloaded(() => leave('Ufickle', tea)),
    ])
    const own = env.messaging
      .factsOf(tea)
      .filter(({ fact }) => 'userId' in (fact.value ?? {}) && JSON.stringify(fact.value).includes('Ufickle'))
    expect(await isMember('Ufickle', tea)).toBe(own.at(-1)?.fact.case === 'joined')
  }
})
