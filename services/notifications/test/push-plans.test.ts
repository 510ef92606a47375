import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Db } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { openTestDatabase, testDatabase } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { queueDismissals, queuePushes } from '../src/engines/push/queue.ts'
import { listDuePushes } from '../src/store/due-pushes.ts'
import { leasePushes } from '../src/store/push-leases.ts'
import { crowdOf, notificationsFor } from './_crowd.ts'
import { notification } from './_push-jobs.ts'
import { explainStatements } from './_query-plans.ts'

const opened = new Resources()
let db: Db

/** 100,000 pushes of one message, with three priorities and two hosts. A tenth of them is not due yet. */
beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  ;({ db } = opened.use(await openTestDatabase(url, { pool: 1, statementTimeoutMs: 60_000 })))
  await db.execute(sql`
    insert into push_subscriptions (endpoint_digest, endpoint, host, user_id, p256dh, auth, registered_at)
    select sha256(n::text::bytea), 'https://push.example/' || n, 'host' || n % 2, 'Ucrowd' || n, '', '', now()
    from generate_series(1, 100000) n`)
  await db.execute(sql`
    insert into push_jobs (subscription_id, user_id, host, action, tag, event_id, kind, created_at, due_at, lane)
    select id, user_id, host, 'show', 'mention-Eall', 'Eall', 'mention', now(),
      now() + case when id % 10 = 0 then interval '1 hour' else id * interval '-1 ms' end,
      case when id < 20 then 'first' when id < 400 then 'soon' else 'mass' end
    from push_subscriptions`)
  await db.execute(sql`vacuum analyze`)
}, 120_000)
afterAll(() => opened[Symbol.asyncDispose]())

test('choosing due pushes uses an index and reads fewer than 100 rows', async () => {
  const plans = await explainStatements(db, (tx) => listDuePushes(tx, 4))
  expect(plans.indexes).toContain('push_jobs_due')
  expect(plans.scanned).toEqual([])
  expect(plans.max).toBeLessThan(100)
})

test('leasing pushes scans no table and reads fewer than 100 rows', async () => {
  const plans = await explainStatements(db, (tx) => leasePushes(tx, [1n, 2n, 50_000n], 30_000))
  expect(plans.scanned).toEqual([])
  expect(plans.max).toBeLessThan(100)
})

test('queueing pushes does not read all queued ones', async () => {
  for (const created of [[notification('Ucrowd7', { eventId: 'E2' })], notificationsFor(crowdOf(50))]) {
    const plans = await explainStatements(db, (tx) => queuePushes(tx, created))
    expect(plans.indexes).toContain('push_jobs_by_tag')
    expect(plans.scanned).not.toContain('push_jobs')
    expect(plans.max).toBeLessThan(1000)
  }
})

test('withdrawing a push does not read all queued ones', async () => {
  const plans = await explainStatements(db, (tx) => queueDismissals(tx, [{ userId: 'Ucrowd7', tag: 'mention-Eall' }]))
  expect(plans.indexes).toContain('push_jobs_by_tag')
  expect(plans.scanned).not.toContain('push_jobs')
  expect(plans.max).toBeLessThan(1000)
})
