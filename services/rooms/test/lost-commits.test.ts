import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Code, createClient, createRouterTransport } from '@connectrpc/connect'
import { MessagingInternalService, type RoomFact } from '@parley/contracts/internal'
import { eventually } from '@parley/testkit'
import { and, eq } from 'drizzle-orm'
import { applyFacts, readHeldRoom, type ApplyFacts, type HeldFact } from '../src/clients/messaging.ts'
import { roomFact, type Change } from '../src/domain/room-fact.ts'
import { openFactDelivery } from '../src/engines/delivery/index.ts'
import { changeMembership, lockRoom } from '../src/store/changes.ts'
import { findUnappliedFacts } from '../src/store/facts.ts'
import { roomBans, roomFacts, roomMembers, rooms } from '../src/store/schema.ts'
import { codeOf, lobbyOf, makeRoom, useEnv, person } from './_env.ts'

// Messaging has a fact that the database of rooms has lost, usually with a version ahead of the clock of rooms.

const env = useEnv()
let room: string
let made = 0

beforeAll(async () => {
  // The job pauses after its first walk, so that it does not correct a room before a call does.
  await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '30s' }, { checkPausePerStepMs: 3_600_000 })
  await lobbyOf(env)
  env.accounts.people = [person('Ubob')]
})
beforeEach(async () => {
  room = await makeRoom(env, `lost-${++made}`)
})

const join = (userId: string) => env.as(userId).rooms.joinRoom({ roomId: room })
const versions = () => env.messaging.factsOf(room).map(({ version }) => version)
const inAMinute = () => BigInt(Date.now() + 60_000) * 1000n

const lostLeave: Change = { case: 'left', value: { userId: 'Ulost' } }

/** Adds a fact that follows messaging's newest fact and is unknown to rooms. */
function addLost(version = inAMinute(), change = lostLeave): void {
  const previous = env.messaging.versionOf(room)
  const cause = { actorId: 'Ulost', at: new Date() }
  env.messaging.addLostFact(room, roomFact(previous, change, cause, version))
}

/**
 * Opens a delivery like that of another process. `onHeld` is called with each answer of messaging, before its handling.
 */
function openDelivery(onHeld: (held: HeldFact) => Promise<void> = () => Promise.resolve()) {
  const messaging = createClient(
    MessagingInternalService,
    createRouterTransport(({ service }) => service(MessagingInternalService, env.messaging.impl)),
  )
  const applyNow = applyFacts(messaging)
  const apply: ApplyFacts = async (batch) => {
    const held = await applyNow(batch)
    await onHeld(held)
    return held
  }
  return openFactDelivery({ db: env.db, apply, read: readHeldRoom(messaging), timeoutMs: 10_000 })
}

const kinds = (count: number) => env.messaging.kindsOf(room).slice(-count)

const changeWithoutDelivery = (userId: string, member = true) =>
  env.db.transaction(async (tx) => {
    const locked = await lockRoom(tx, room)
    const cause = { actorId: userId, at: new Date() }
    if (locked) await changeMembership(tx, locked, { userId, member }, cause)
    const [row] = await tx.select().from(rooms).where(eq(rooms.id, room))
    return row?.version ?? 0n
  })

async function readStoredVersions() {
  const members = await env.db.select().from(roomMembers).where(eq(roomMembers.roomId, room))
  const bans = await env.db.select().from(roomBans).where(eq(roomBans.roomId, room))
  const facts = await env.db.select().from(roomFacts).where(eq(roomFacts.roomId, room))
  const standings = [...members, ...bans].map(({ version }) => version)
  return { standings, facts: facts.map(({ version }) => version) }
}

/** Returns the actors of the newest facts. Also checks that each fact follows the one before it. */
function newestActors(count: number): string[] {
  const facts = env.messaging.factsOf(room)
  expect(facts.slice(1).map(({ previousVersion }) => previousVersion)).toEqual(versions().slice(0, -1))
  return facts.slice(-count).map(({ actorId }) => actorId)
}

test.each(['ban', 'leave', 'archive'])(
  'after a lost fact, the change "%s" is applied before the response',
  async (change) => {
    const { rooms: asAdmin } = env.as('Uadmin', 'admin')
    await join('Ubob')
    addLost()
    if (change === 'ban') await asAdmin.banMember({ roomId: room, userId: 'Ubob', reason: 'noise' })
    if (change === 'leave') await env.as('Ubob').rooms.leaveRoom({ roomId: room })
    if (change === 'archive') await asAdmin.archiveRoom({ roomId: room })
    const kind = { ban: 'banned', leave: 'left', archive: 'archived' }[change]
    expect(env.messaging.kindsOf(room).at(-1)).toBe(kind)
    expect(env.messaging.waitedForStream(room)).toBe(true)
    newestActors(1)
  },
)

const about = { userId: 'Ubob' }

test.each<[string, Change]>([
  ['leaves', { case: 'joined', value: about }],
  ['joins', { case: 'left', value: about }],
  ['unbans', { case: 'banned', value: about }],
  ['archives', { case: 'unarchived', value: {} }],
  ['unarchives', { case: 'archived', value: {} }],
])('a call that %s has nothing to change in rooms, but reverts the lost fact in messaging', async (call, lost) => {
  const { rooms: asAdmin } = env.as('Uadmin', 'admin')
  if (call === 'joins') await join('Ubob')
  if (call === 'archives') await asAdmin.archiveRoom({ roomId: room })
  addLost(inAMinute(), lost)
  if (call === 'leaves') await env.as('Ubob').rooms.leaveRoom({ roomId: room })
  if (call === 'joins') await join('Ubob')
  if (call === 'unbans') await asAdmin.unbanMember({ roomId: room, userId: 'Ubob', reason: 'peace' })
  if (call === 'archives') await asAdmin.archiveRoom({ roomId: room })
  if (call === 'unarchives') await asAdmin.unarchiveRoom({ roomId: room })
  const restated = {
    leaves: 'left',
    joins: 'joined',
    unbans: 'unbanned',
    archives: 'archived',
    unarchives: 'unarchived',
  }[call]
  expect(kinds(2)).toEqual([lost.case, restated])
  expect(env.messaging.waitedForStream(room)).toBe(['leaves', 'archives'].includes(call))
  newestActors(1)
})

test.each(['without', 'with'])(
  'waitUntilApplied, %s `isAbout`, waits until a restated leave is streamed',
  async (how) => {
    await join('Ubob')
    await env.as('Ubob').rooms.leaveRoom({ roomId: room })
    addLost(inAMinute(), { case: 'joined', value: about })
    await using delivery = openDelivery()
    const { version = 0n, eventId = '' } = env.messaging.factsOf(room).at(-1) ?? {}
    await delivery.reconcile(room, { version, eventId })
    expect([kinds(1), env.messaging.waitedForStream(room)]).toEqual([['left'], false])
    await delivery.waitUntilApplied(room, undefined, how === 'with' ? (fact) => fact.fact.case === 'left' : undefined)
    expect(env.messaging.waitedForStream(room)).toBe(true)
  },
)

test.each(['join', 'leave'])('a %s rebased by another process is applied before the response', async (change) => {
  await using other = openDelivery()
  let isFirst = true
  await using delivery = openDelivery(async (held) => {
    if (isFirst) await other.reconcile(room, held)
    isFirst = false
  })
  if (change === 'leave') await join('Ucarl')
  addLost()
  await changeWithoutDelivery('Ucarl', change === 'join')
  await delivery.deliver(room, await findUnappliedFacts(env.db, room))
  expect(kinds(2)).toEqual(['left', change === 'join' ? 'joined' : 'left'])
  expect(env.messaging.waitedForStream(room)).toBe(change === 'leave')
  newestActors(1)
})

function subjectOf({ case: kind, value }: RoomFact['fact']): string {
  if (kind === 'joined' || kind === 'left') return `member ${value && 'userId' in value ? value.userId : ''}`
  if (kind === 'banned' || kind === 'unbanned') return `ban ${value && 'userId' in value ? value.userId : ''}`
  return kind === 'archived' || kind === 'unarchived' ? 'archive' : String(kind)
}

test('one change reverts all lost facts', async () => {
  const { rooms: asAdmin } = env.as('Uadmin', 'admin')
  await join('Ubob')
  await join('Ubad')
  env.accounts.people.push(person('Ubad'))
  await asAdmin.banMember({ roomId: room, userId: 'Ubad', reason: 'noise' })
  const lost: Change[] = [
    { case: 'updated', value: { name: 'lost' } },
    { case: 'universal', value: { universal: true } },
    { case: 'archived', value: {} },
    { case: 'unbanned', value: { userId: 'Ubad' } },
    { case: 'joined', value: { userId: 'Ubad' } },
    { case: 'left', value: about },
    { case: 'banned', value: about },
    { case: 'joined', value: { userId: 'Uone' } },
  ]
  for (const [n, change] of lost.entries()) addLost(inAMinute() + BigInt(n), change)
  const known = versions().length
  await changeWithoutDelivery('Uone')
  await join('Utwo')
  newestActors(1)
  // The join of Uone was not delivered with its change, and may arrive before or with that of Utwo. The last fact per
  // subject counts.
  const last = new Map<string, string | undefined>()
  for (const { fact } of env.messaging.factsOf(room).slice(known)) last.set(subjectOf(fact), fact.case)
  expect(Object.fromEntries(last)).toEqual({
    ...{ 'member Uone': 'joined', 'member Utwo': 'joined', 'member Ubob': 'joined' },
    ...{ 'ban Ubad': 'banned', 'ban Ubob': 'unbanned' },
    ...{ updated: 'updated', universal: 'universal', archive: 'unarchived' },
  })
  await eventually(async () => {
    const { standings, facts } = await readStoredVersions()
    expect(facts).toEqual(expect.arrayContaining(standings))
  })
})

test('after lost facts that cancel each other out, a second call sends no fact', async () => {
  await join('Ubob')
  addLost(inAMinute(), { case: 'left', value: about })
  addLost(inAMinute() + 1n, { case: 'joined', value: about })
  await join('Ubob')
  const after = versions().length
  await join('Ubob')
  expect(versions()).toHaveLength(after)
})

test('the periodic comparison reverts a lost fact in a room that nobody changes', async () => {
  await join('Ubob')
  await using _walking = await env.start()
  addLost(inAMinute(), { case: 'left', value: about })
  await eventually(() => expect(kinds(2)).toEqual(['left', 'joined']))
})

test('a change that messaging does not answer fails with unavailable, and is applied later', async () => {
  addLost()
  env.messaging.stopAnswering()
  expect(await codeOf(join('Ubob'))).toBe(Code.Unavailable)
  env.messaging.answer()
  await eventually(() => expect(newestActors(1)).toEqual(['Ubob']))
})

test('unapplied changes get versions above the lost fact, in their order', async () => {
  await changeWithoutDelivery('Uone')
  await changeWithoutDelivery('Utwo')
  addLost()
  await join('Uthree')
  expect(newestActors(4)).toEqual(['Ulost', 'Uone', 'Utwo', 'Uthree'])
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

test('a lost fact is recognised even if rooms has stored another fact with the same version', async () => {
  addLost(await changeWithoutDelivery('Uone'))
  await join('Utwo')
  expect(newestActors(3)).toEqual(['Ulost', 'Uone', 'Utwo'])
})

test('two processes rebase each fact once', async () => {
  await using _second = await env.start({ PARLEY_ROOMS_HAND_OVER_TIMEOUT: '30s' })
  addLost()
  const users = Array.from({ length: 20 }, (_, n) => `Ucrowd${n}`)
  // If the other process changed the version of a call's fact, the call fails with unavailable.
  await Promise.all(users.map((userId) => eventually(() => join(userId))))
  expect(newestActors(20).sort()).toEqual(users.sort())
})

test.each([0, 1])(
  'messaging, restored with %s of the facts that rooms has lost, receives all later facts',
  async (kept) => {
    const before = versions().length
    addLost()
    await join('Uone')
    env.messaging.restore(room, before + kept)
    await join('Utwo')
    expect(newestActors(2)).toEqual(['Uone', 'Utwo'])
    expect(versions()).toHaveLength(before + kept + 2)
  },
)
