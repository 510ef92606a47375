import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Db, type Tx } from '@parley/postgres'
import { Resources } from '@parley/runtime'
import { eventually, openTestDatabase, testDatabase } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { queueDismissals, queuePushes } from '../src/engines/push/queue.ts'
import { upsertSubscription } from '../src/store/push-subscriptions.ts'
import { notification, queuedPushes, insertSubscription } from './_push-jobs.ts'

const opened = new Resources()
let db: Db

beforeAll(async () => {
  const { url } = opened.use(await testDatabase(fileURLToPath(new URL('../drizzle', import.meta.url))))
  ;({ db } = opened.use(await openTestDatabase(url, { pool: 4 })))
})
beforeEach(async () => {
  await db.execute(sql`truncate push_subscriptions cascade`)
  await insertSubscription(db, 'Ualice', 'https://push.example/phone')
  await insertSubscription(db, 'Ualice', 'https://push.example/laptop')
  await insertSubscription(db, 'Ubob', 'https://push.example/bob')
})
afterAll(() => opened[Symbol.asyncDispose]())

const push = (...created: Parameters<typeof queuePushes>[1]) => db.transaction((tx) => queuePushes(tx, created))
const dismiss = (userId: string, tag: string) => db.transaction((tx) => queueDismissals(tx, [{ userId, tag }]))

test('a push is queued for each browser of the recipient, and for no other', async () => {
  await push(notification('Ualice'), notification('Unobrowser'))
  expect(await queuedPushes(db)).toEqual([
    'show mention-E1 at https://push.example/laptop',
    'show mention-E1 at https://push.example/phone',
  ])
  await push()
  expect(await queuedPushes(db)).toHaveLength(2)
})

test('a push that has not been sent is deleted when its notification is dismissed', async () => {
  await push(notification('Ualice'), notification('Ubob'))
  await dismiss('Ualice', 'mention-E1')
  expect(await queuedPushes(db)).toEqual(['show mention-E1 at https://push.example/bob'])
})

test('a dismissal is queued for each browser to which the push was sent or may have been sent', async () => {
  await push(notification('Ualice'))
  await db.execute(sql`delete from push_jobs where subscription_id =
    (select id from push_subscriptions where endpoint = 'https://push.example/laptop')`)
  await db.execute(sql`update push_jobs set attempts = 1, due_at = now() + interval '1 hour'`)
  await dismiss('Ualice', 'mention-E1')
  expect(await queuedPushes(db)).toEqual([
    'dismiss mention-E1 at https://push.example/laptop',
    'dismiss mention-E1 at https://push.example/phone',
  ])
})

test('if a notification is dismissed while its push is being sent, the push is marked as withdrawn', async () => {
  await push(notification('Ubob'))
  await db.execute(sql`update push_jobs set attempts = 1, leased_until = now() + interval '1 minute'`)
  await dismiss('Ubob', 'mention-E1')
  expect(await queuedPushes(db)).toEqual([
    'dismiss mention-E1 at https://push.example/bob',
    'show mention-E1 at https://push.example/bob withdrawn',
  ])
})

test('no push is queued if the transaction that creates the notification is rolled back', async () => {
  const failing = db.transaction(async (tx) => {
    await queuePushes(tx, [notification('Ualice')])
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await queuedPushes(db)).toEqual([])
})

/**
 * Runs `first` in a transaction, and `meanwhile` while that is open. Commits once `meanwhile` has finished or waits for
 * a lock.
 */
async function duringTransaction(
  first: (tx: Tx) => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  let running: Promise<unknown> | undefined
  await db.transaction(async (tx) => {
    await first(tx)
    let isFinished = false
    running = meanwhile().finally(() => (isFinished = true))
    running.catch(() => undefined)
    await eventually(async () => {
      const { rows } = await db.execute(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
      expect(isFinished || rows.length > 0).toBe(true)
    })
  })
  await running
}

test('a browser that another user registers concurrently does not get the push', async () => {
  const keys = { p256dh: 'other', auth: 'other' }
  const subscription = { ...keys, credentialId: 'S1', userAgent: undefined, registeredAt: new Date() }
  const endpoint = new URL('https://push.example/phone')
  await duringTransaction(
    (tx) => queuePushes(tx, [notification('Ualice')]),
    () => db.transaction((tx) => upsertSubscription(tx, { ...subscription, endpoint, userId: 'Ubob' })),
  )
  expect(await queuedPushes(db)).toEqual(['show mention-E1 at https://push.example/laptop'])
})

test.each([
  ['a push', 'show', () => push(notification('Ualice'))],
  ['a dismissal', 'dismiss', () => dismiss('Ualice', 'mention-E1')],
])('%s that is queued while a browser is deleted goes only to the remaining browser', async (_, action, queue) => {
  const gone = sql`delete from push_subscriptions where endpoint = 'https://push.example/phone'`
  await duringTransaction((tx) => tx.execute(gone), queue)
  expect(await queuedPushes(db)).toEqual([`${action} mention-E1 at https://push.example/laptop`])
})
