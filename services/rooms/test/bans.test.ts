import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code } from '@connectrpc/connect'
import { eventually } from '@parley/testkit'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { roomBans, roomFacts } from '../src/store/schema.ts'
import { createDm } from './_seeds.ts'
import { codeOf, lobbyOf, makeRoom, useEnv, person } from './_env.ts'

const env = useEnv()
let direct: string
let room: string
let made = 0

beforeAll(async () => {
  env.accounts.people = ['Umallory', 'Umod', 'Ualice', 'Ustranger'].map((userId) => person(userId))
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '3s' })
  await lobbyOf(env)
  direct = await createDm(env, ['Umod', 'Umallory'])
})
beforeEach(async () => {
  room = await makeRoom(env, `banning-${++made}`)
  await env.as('Umallory').rooms.joinRoom({ roomId: room })
})

const moderator = () => env.as('Umod', 'moderator').rooms
const inAnHour = () => timestampFromDate(new Date(Date.now() + 3600_000))
const ban = (request: { userId?: string; roomId?: string; reason?: string; expiresAt?: Date } = {}) => {
  const { expiresAt, ...rest } = request
  const until = expiresAt && { expiresAt: timestampFromDate(expiresAt) }
  return moderator().banMember({ roomId: room, userId: 'Umallory', reason: 'noise', ...rest, ...until })
}
const unban = (userId = 'Umallory', reason = 'peace') => moderator().unbanMember({ roomId: room, userId, reason })
const access = async () => (await env.internal.getRoomAccess({ userId: 'Umallory', roomId: room })).effectiveMember
const join = () => env.as('Umallory').rooms.joinRoom({ roomId: room })

describe('BanMember', () => {
  test('ends the membership and prevents joining', async () => {
    expect(await ban()).toMatchObject({ banned: true })
    expect(env.messaging.factsOf(room).at(-1)).toMatchObject({
      actorId: 'Umod',
      fact: { case: 'banned', value: { userId: 'Umallory' } },
    })
    expect(env.messaging.waitedForStream(room)).toBe(true)
    expect(await access()).toBe(false)
    expect(await codeOf(join())).toBe(Code.PermissionDenied)
    const { entries } = await env.internal.openSockets({ userIds: ['Umallory'] })
    expect(entries[0]?.standings.find(({ roomId }) => roomId === room)).toMatchObject({ member: false, banned: true })
  })

  test('refuses a second ban, unless it repeats a call that failed with unavailable', async () => {
    env.messaging.offStream.add(room)
    const unavailable = codeOf(ban())
    // Keeps the job from delivering the ban: once it is delivered, a repeated call counts as a second ban.
    const ofUnapplied = and(eq(roomFacts.roomId, room), isNull(roomFacts.appliedAt))
    const createdAt = new Date(Date.now() + 60_000)
    await eventually(async () => (await env.db.update(roomFacts).set({ createdAt }).where(ofUnapplied)).rowCount === 1)
    expect(await unavailable).toBe(Code.Unavailable)
    env.messaging.offStream.delete(room)
    expect(await codeOf(ban())).toBeUndefined()
    await eventually(async () => expect(await codeOf(ban())).toBe(Code.PermissionDenied))
    expect(env.messaging.kindsOf(room).filter((kind) => kind === 'banned')).toHaveLength(1)
  })

  test('ends effective membership of universal rooms', async () => {
    room = await makeRoom(env, `universal-${made}`, { universal: true })
    expect(await access()).toBe(true)
    await ban()
    expect(await access()).toBe(false)
  })

  test('works in archived rooms', async () => {
    await env.as('Uowner', 'owner').rooms.archiveRoom({ roomId: room })
    expect(await codeOf(ban())).toBeUndefined()
  })

  test.each<[string, () => Promise<unknown>, Code]>([
    ['a caller without room.ban-member', () => banAs('Ualice'), Code.PermissionDenied],
    ['a ban of oneself', () => ban({ userId: 'Umod' }), Code.PermissionDenied],
    ['a ban of a non-member', () => ban({ userId: 'Ustranger' }), Code.PermissionDenied],
    ['an unknown user', () => ban({ userId: 'Unobody' }), Code.NotFound],
    ['an unknown room', () => ban({ roomId: 'Rnone' }), Code.NotFound],
    ['a direct message', () => ban({ roomId: direct }), Code.InvalidArgument],
    ['an empty reason', () => ban({ reason: '' }), Code.InvalidArgument],
    ['a blank reason', () => ban({ reason: ' \t\u00a0\n' }), Code.InvalidArgument],
    ['an expiry in the past', () => ban({ expiresAt: new Date(Date.now() - 1000) }), Code.InvalidArgument],
  ])('refuses %s', async (_what, call, code) => {
    expect(await codeOf(call())).toBe(code)
  })

  const banAs = (userId: string) =>
    env.as(userId).rooms.banMember({ roomId: room, userId: 'Umallory', reason: 'noise', expiresAt: inAnHour() })
})

describe('UnbanMember', () => {
  test('lets the person join again, without making them a member', async () => {
    await ban()
    expect(await unban()).toMatchObject({ unbanned: true })
    expect(env.messaging.kindsOf(room).at(-1)).toBe('unbanned')
    expect(await access()).toBe(false)
    await join()
    expect(await access()).toBe(true)
  })

  test('needs a reason that is not blank', async () => {
    expect(await codeOf(unban('Umallory', '  '))).toBe(Code.InvalidArgument)
  })

  test('without a ban succeeds and writes nothing', async () => {
    expect(await unban('Ustranger')).toMatchObject({ unbanned: true })
    expect(env.messaging.kindsOf(room)).toEqual(['created', 'joined', 'joined'])
  })

  test('needs room.ban-member', async () => {
    const call = env.as('Ualice').rooms.unbanMember({ roomId: room, userId: 'Umallory', reason: 'peace' })
    expect(await codeOf(call)).toBe(Code.PermissionDenied)
  })
})

describe('a ban', () => {
  test('and its end keep their reasons for audit, under the ids of their events', async () => {
    for (const reason of ['noise', 'more noise']) {
      await ban({ reason: ` ${reason} ` })
      await unban('Umallory', `peace after ${reason}`)
      await join()
    }
    const stored = await env.db.select().from(roomFacts).where(eq(roomFacts.roomId, room)).orderBy(roomFacts.version)
    const reasons = new Map(stored.flatMap(({ eventId, reason }) => (reason === null ? [] : [[eventId, reason]])))
    const facts = env.messaging.factsOf(room).filter(({ eventId }) => reasons.has(eventId))
    expect(facts.map(({ fact, eventId }) => [fact.case, reasons.get(eventId)])).toEqual([
      ['banned', 'noise'],
      ['unbanned', 'peace after noise'],
      ['banned', 'more noise'],
      ['unbanned', 'peace after more noise'],
    ])
  })

  const expireBan = () =>
    env.db
      .update(roomBans)
      .set({ expiresAt: sql`now()` })
      .where(sql`room_id = ${room}`)
  const inAMinute = () => new Date(Date.now() + 60_000)
  const add = () => env.as('Uowner', 'owner').rooms.addMember({ roomId: room, userId: 'Umallory' })

  test('prevents joining and adding until it expires', async () => {
    await ban({ expiresAt: inAMinute() })
    expect([await codeOf(join()), await codeOf(add())]).toEqual([Code.PermissionDenied, Code.PermissionDenied])
    await expireBan()
    expect(await access()).toBe(false)
    expect(await codeOf(add())).toBeUndefined()
    expect(await access()).toBe(true)
  })

  test('takes away access to a universal room until it expires', async () => {
    room = await makeRoom(env, `lapsing-${made}`, { universal: true })
    const member = () => codeOf(moderator().getMember({ roomId: room, userId: 'Umallory' }))
    await ban({ expiresAt: inAMinute() })
    expect([await access(), await codeOf(join()), await member()]).toEqual([
      false,
      Code.PermissionDenied,
      Code.NotFound,
    ])
    await expireBan()
    expect([await access(), await codeOf(join()), await member()]).toEqual([true, undefined, undefined])
  })

  test('may be followed by another ban after it has expired', async () => {
    await ban({ expiresAt: inAMinute() })
    await expireBan()
    await join()
    expect(await codeOf(ban())).toBeUndefined()
    expect(await access()).toBe(false)
  })

  test('remains when the room stops and starts being universal', async () => {
    room = await makeRoom(env, `outlasting-${made}`, { universal: true })
    const universal = (universal: boolean) => env.as('Uowner', 'owner').rooms.updateRoom({ roomId: room, universal })
    await ban()
    await universal(false)
    expect([await access(), await codeOf(join())]).toEqual([false, Code.PermissionDenied])
    await universal(true)
    expect(await access()).toBe(false)
    await unban()
    expect(await access()).toBe(true)
  })
})

test('an expired ban in a locked room does not delay the end of a ban in another room', async () => {
  const other = await makeRoom(env, `banning-${++made}`)
  await env.as('Umallory').rooms.joinRoom({ roomId: other })
  const kindsOf = (roomId: string) => env.messaging.factsOf(roomId).map(({ fact }) => fact.case)
  await ban({ expiresAt: new Date(Date.now() + 500) })
  await ban({ roomId: other, expiresAt: new Date(Date.now() + 500) })
  await env.db.transaction(async (tx) => {
    await eventually(async () => {
      // Repeated, because an idle transaction is ended.
      await tx.execute(sql`select from rooms where id = ${room} for update`)
      expect(kindsOf(other)).toContain('banExpired')
    })
  })
  await eventually(() => expect(kindsOf(room)).toContain('banExpired'))
})

test('two processes announce the end of a ban only once', async () => {
  const second = await env.start()
  await ban({ expiresAt: new Date(Date.now() + 60_000) })
  expect(await codeOf(join())).toBe(Code.PermissionDenied)
  await env.db
    .update(roomBans)
    .set({ expiresAt: sql`now()` })
    .where(sql`room_id = ${room}`)
  await eventually(() => expect(env.messaging.kindsOf(room).at(-1)).toBe('banExpired'))
  await join()
  expect(env.messaging.kindsOf(room).slice(-3)).toEqual(['banned', 'banExpired', 'joined'])
  await second[Symbol.asyncDispose]()
})
