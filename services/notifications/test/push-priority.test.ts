import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Db } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { openTestDatabase, PushService, testDatabase } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import type { NotificationKind } from '../src/domain/tag.ts'
import { queueDismissals, queuePushes, type CreatedNotification } from '../src/engines/push/queue.ts'
import { measureQueue } from '../src/store/push-leases.ts'
import { crowdOf, subscribeAll, notificationsFor } from './_crowd.ts'
import { notification, insertSubscription } from './_push-jobs.ts'

const opened = new Resources()
let db: Db
const crowd = crowdOf(500)

beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  ;({ db } = opened.use(await openTestDatabase(url, { pool: 2 })))
  await subscribeAll(db, opened.use(await PushService.start()), 'crowd', crowd)
  await insertSubscription(db, 'Ubob', 'https://push.example/bob')
})
beforeEach(() => db.execute(sql`truncate push_jobs`))
afterAll(() => opened[Symbol.asyncDispose]())

const push = (created: readonly CreatedNotification[]) => db.transaction((tx) => queuePushes(tx, created))

async function depths(): Promise<Record<string, number>> {
  return Object.fromEntries((await measureQueue(db)).map(({ lane, depth }) => [lane, depth]))
}

test.each<[NotificationKind, string]>([
  ['direct_message', 'first'],
  ['mention', 'first'],
  ['reply', 'soon'],
  ['room_message', 'soon'],
])('a push of kind %s for one person gets the priority “%s”', async (kind, lane) => {
  await push([notification('Ubob', { kind })])
  expect(await depths()).toEqual({ [lane]: 1 })
})

test('of the pushes of one message, 20 get the priority “first”, 380 “soon”, and the others “mass”', async () => {
  await push(notificationsFor(crowd))
  expect(await depths()).toEqual({ first: 20, soon: 380, mass: 100 })
})

test('a push is overdue ten minutes after its creation', async () => {
  await push(notificationsFor(crowd.slice(0, 3)))
  await db.execute(sql`
    update push_jobs set created_at = now() - interval '599 s' where id = (select min(id) from push_jobs)`)
  await db.execute(sql`
    update push_jobs set created_at = now() - interval '601 s' where id = (select max(id) from push_jobs)`)
  expect(await measureQueue(db)).toMatchObject([{ lane: 'first', depth: 3, overdue: 1 }])
})

test('the priorities of the pushes of a message do not depend on how many transactions queue them', async () => {
  for (let from = 0; from < 500; from += 10) await push(notificationsFor(crowd.slice(from, from + 10)))
  expect(await depths()).toEqual({ first: 20, soon: 380, mass: 100 })
})

test('the priorities of the pushes of a message do not depend on the pushes of other messages', async () => {
  await push(notificationsFor(crowd, { eventId: 'Eearlier' }))
  await push([
    ...notificationsFor(crowd.slice(0, 30), { eventId: 'E1' }),
    ...notificationsFor(crowd.slice(0, 30), { eventId: 'E2', kind: 'room_message' }),
    notification('Ubob', { eventId: 'E3' }),
  ])
  const { rows } = await db.execute(sql`
    select event_id || ' ' || lane || ' ' || count(*) as line from push_jobs where event_id <> 'Eearlier'
    group by event_id, lane order by line`)
  expect(rows.map(({ line }) => line)).toEqual(['E1 first 20', 'E1 soon 10', 'E2 soon 30', 'E3 first 1'])
})

test('of many dismissals for one message, 400 get the priority “soon”, and the others “mass”', async () => {
  const dismissals = [...crowd, 'Ubob'].map((userId) => ({ userId, tag: 'mention-Eall' }))
  await db.transaction((tx) => queueDismissals(tx, dismissals))
  expect(await depths()).toEqual({ soon: 400, mass: 101 })
  await db.transaction((tx) => queueDismissals(tx, [{ userId: 'Ubob', tag: 'dm-E1' }]))
  expect(await depths()).toEqual({ soon: 401, mass: 101 })
})

test('a push withdrawn while it is being sent gets the priority “first”: its dismissal waits for it', async () => {
  await push([notification('Ubob', { kind: 'room_message' })])
  await db.execute(sql`update push_jobs set lane = 'mass', attempts = 1, leased_until = now() + interval '1 minute'`)
  await db.transaction((tx) => queueDismissals(tx, [{ userId: 'Ubob', tag: 'room-message-E1' }]))
  expect(await depths()).toEqual({ first: 1, soon: 1 })
})
