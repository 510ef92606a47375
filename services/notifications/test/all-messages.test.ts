import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { sqlRows } from '@parley/postgres'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { openFleet, type Fleet } from './_fleet.ts'
import { RoomPublisher } from './_room-publisher.ts'

const fans = Array.from({ length: 1200 }, (_, n) => `U${String(n).padStart(6, '0')}`)

const longTimeout = { timeoutMs: 60_000 }

let fleet: Fleet
beforeEach(async () => {
  fleet = await openFleet()
  await fleet.start({}, { jobsEveryMs: 200 })
  await fleet.db.execute(sql`insert into notification_levels (user_id, room_id, level)
    select user_id, '', 'all_messages' from unnest(${sql.param(fans)}::text[]) user_id`)
})
afterEach(() => fleet[Symbol.asyncDispose]())

const notified = async (eventId: string): Promise<string[]> => {
  const query = sql`select user_id as "userId" from notifications where event_id = ${eventId} order by user_id`
  return (await sqlRows<{ userId: string }>(fleet.db, query)).map(({ userId }) => userId)
}
const expectNotified = (eventId: string, userIds: readonly string[]) =>
  eventually(async () => expect(await notified(eventId)).toEqual(userIds), longTimeout)

const rowsOf = async (statement: string) => (await fleet.db.execute(statement)).rowCount
const jobs = () => rowsOf('select from notification_jobs')

/** The first post is handled alone, the others usually in one batch. Returns the id of the last post. */
async function postTogether(roomId: string, count: number): Promise<string> {
  const publisher = new RoomPublisher(fleet.bus, roomId)
  return fleet.db.transaction(async (tx) => {
    await tx.execute('lock table notification_levels in access exclusive mode')
    const waiting = `select from pg_locks where not granted and relation = 'notification_levels'::regclass`
    let last = await publisher.post('Uann')
    await eventually(async () => expect(await rowsOf(waiting)).not.toBe(0))
    while (publisher.seq < count) last = await publisher.post('Uann')
    return last
  })
}

test('the members of a small room are not listed again for each post of a batch', async () => {
  fleet.fakes.room('R1', [...fans.slice(0, 3), 'Uann'])
  await expectNotified(await postTogether('R1', 32), fans.slice(0, 3))
  // One request for the first post, and one for the others, or two if the others do not arrive together.
  expect(fleet.fakes.fullyListedRooms.length).toBeLessThanOrEqual(3)
})

test('the members of a large room are not listed again for each post', async () => {
  fleet.fakes.room('R1', [...fans, 'Uann'])
  const publisher = new RoomPublisher(fleet.bus, 'R1')
  for (let n = 0; n < 3; n++) await expectNotified(await publisher.post('Uann'), fans)
  // One request for the first post, and one for its job.
  expect(fleet.fakes.fullyListedRooms).toHaveLength(2)
})

test('a post to a universal room does not list all members', async () => {
  fleet.fakes.room('R1', [...fans.slice(0, 3), 'Uann'], { universal: true })
  await expectNotified(await new RoomPublisher(fleet.bus, 'R1').post('Uann'), fans.slice(0, 3))
  expect(fleet.fakes.fullyListedRooms).toEqual([])
})

test('a post without mentions is handled while rooms is unavailable; its notifications follow', async () => {
  fleet.fakes.room('R1', [...fans.slice(0, 3), 'Uann'])
  fleet.fakes.unavailableMethods.add('listRecipients')
  const eventId = await new RoomPublisher(fleet.bus, 'R1').post('Uann')
  await eventually(async () => expect(await rowsOf(`select from read_markers where user_id = 'Uann'`)).toBe(1))
  expect(await jobs()).toBe(1)
  fleet.fakes.unavailableMethods.clear()
  await expectNotified(eventId, fans.slice(0, 3))
})
