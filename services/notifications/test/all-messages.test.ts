import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { sqlRows } from '@parley/postgres'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { openFleet, type Fleet } from './_fleet.ts'
import { Story } from './_story.ts'

/** More than are notified at once. */
const fans = Array.from({ length: 1200 }, (_, n) => `U${String(n).padStart(6, '0')}`)

/** Longer, because these tests do much. */
const slowly = { timeoutMs: 60_000 }

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
  eventually(async () => expect(await notified(eventId)).toEqual(userIds), slowly)

const rowsOf = async (statement: string) => (await fleet.db.execute(statement)).rowCount
const jobs = () => rowsOf('select from notification_jobs')

/** Posts plain messages, of which all but the first wait for one batch. Returns the id of the last. */
async function postTogether(roomId: string, count: number): Promise<string> {
  const story = new Story(fleet.bus, roomId)
  return fleet.db.transaction(async (tx) => {
    await tx.execute('lock table notification_levels in access exclusive mode')
    const waiting = `select from pg_locks where not granted and relation = 'notification_levels'::regclass`
    let last = await story.post('Uann')
    await eventually(async () => expect(await rowsOf(waiting)).not.toBe(0))
    while (story.seq < count) last = await story.post('Uann')
    return last
  })
}

test('the members of a small room are read once for the posts of a batch', async () => {
  fleet.neighbours.room('R1', [...fans.slice(0, 3), 'Uann'])
  await expectNotified(await postTogether('R1', 32), fans.slice(0, 3))
  expect(fleet.neighbours.listed.length).toBeLessThanOrEqual(3)
})

test('a large room is not asked for its members again with each post', async () => {
  fleet.neighbours.room('R1', [...fans, 'Uann'])
  const story = new Story(fleet.bus, 'R1')
  for (let n = 0; n < 3; n++) await expectNotified(await story.post('Uann'), fans)
  // For a post, and for its job.
  expect(fleet.neighbours.listed).toHaveLength(2)
})

test('all members of a universal room are never asked for', async () => {
  fleet.neighbours.room('R1', [...fans.slice(0, 3), 'Uann'], { universal: true })
  await expectNotified(await new Story(fleet.bus, 'R1').post('Uann'), fans.slice(0, 3))
  expect(fleet.neighbours.listed).toEqual([])
})

test('while rooms is away, a plain post is handled, and its notifications follow', async () => {
  fleet.neighbours.room('R1', [...fans.slice(0, 3), 'Uann'])
  fleet.neighbours.silentMethods.add('listRecipients')
  const eventId = await new Story(fleet.bus, 'R1').post('Uann')
  await eventually(async () => expect(await rowsOf(`select from read_markers where user_id = 'Uann'`)).toBe(1))
  expect(await jobs()).toBe(1)
  fleet.neighbours.silentMethods.clear()
  await expectNotified(eventId, fans.slice(0, 3))
})
