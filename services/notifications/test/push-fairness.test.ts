import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { queuePushes } from '../src/engines/push/queue.ts'
import { crowdOf, subscribeAll, notificationsFor } from './_crowd.ts'
import { openPushFleet, type PushFleet } from './_push-fleet.ts'
import { queuedPushes } from './_push-jobs.ts'

let push: PushFleet

beforeEach(async () => {
  push = await openPushFleet()
  await subscribeAll(push.fleet.db, push.service, 'bob', ['Ubob'])
})
afterEach(() => push[Symbol.asyncDispose]())

async function queueMassPushes(size: number) {
  const { db, fakes } = push.fleet
  const crowd = crowdOf(size)
  await subscribeAll(db, push.service, 'crowd', crowd)
  fakes.room('R1', crowd, { name: 'general' })
  fakes.previews.set('Eall', { text: 'everybody!' })
  await db.transaction((tx) => queuePushes(tx, notificationsFor(crowd)))
}

const arrived = (browser: string) =>
  new Set(push.service.receivedBy(browser).map(({ payload }) => payload['notificationId'])).size
const within = { timeoutMs: 100_000 }

test('the push of a direct message arrives while most mass pushes still wait', async () => {
  await queueMassPushes(5_000)
  let allowed = 30
  const held: (() => void)[] = []
  push.service.answer = async () => {
    if (allowed-- <= 0) await new Promise<void>((resolve) => held.push(resolve))
    return { status: 201 }
  }
  await push.start()
  await eventually(() => expect(held.length).toBeGreaterThanOrEqual(4), within)
  await push.notify('Ubob', { eventId: 'Edirect', kind: 'direct_message' })
  // The push service answers a few more requests, then none again.
  allowed = 30
  for (const answer of held.splice(0)) answer()
  await eventually(() => expect(arrived('bob')).toBe(1), within)
  expect(arrived('crowd')).toBeLessThan(100)
  const waiting = await push.fleet.db.execute(sql`select from push_jobs where tag = 'mention-Eall'`)
  expect(waiting.rowCount).toBeGreaterThan(4_900)
}, 240_000)

test('mass pushes are sent even while more direct messages are queued than can be sent', async () => {
  await queueMassPushes(20)
  await push.fleet.db.execute(sql`update push_jobs set lane = 'mass'`)
  let count = 0
  const notify = () => {
    const id = ++count
    return push.notify('Ubob', { eventId: `Edirect${id}`, notificationId: `N${id}`, kind: 'direct_message' })
  }
  push.service.answer = async ({ browser }) => {
    // Until all mass pushes have arrived, each direct message that is sent is replaced: twelve are queued, at most four
    // of them in flight.
    if (browser === 'bob' && arrived('crowd') < 20) await notify()
    return { status: 201 }
  }
  for (let n = 0; n < 12; n++) await notify()
  await push.start()
  await eventually(() => expect(arrived('crowd')).toBe(20), within)
  await eventually(async () => expect(await queuedPushes(push.fleet.db)).toEqual([]), within)
  expect(arrived('bob')).toBe(count)
}, 240_000)
