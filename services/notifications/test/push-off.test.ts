import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { queuePushes } from '../src/engines/push/queue.ts'
import { openFleet, type Fleet } from './_fleet.ts'
import { notification, queued, subscribed } from './_push-jobs.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await openFleet()
  await fleet.start()
})
afterAll(() => fleet[Symbol.asyncDispose]())

test('nobody subscribes while push is not configured; unsubscribing works', async () => {
  const { push } = fleet.as('Ualice')
  const endpoint = 'https://push.example/1'
  await expect(push.subscribe({ endpoint, p256dh: 'x', auth: 'x' })).rejects.toMatchObject({
    code: Code.FailedPrecondition,
  })
  await subscribed(fleet.db, 'Ualice', endpoint)
  expect(await push.unsubscribe({ endpoint })).toMatchObject({ unsubscribed: true })
})

test('pushes queued for earlier subscriptions are dropped', async () => {
  await subscribed(fleet.db, 'Ualice', 'https://push.example/2')
  await fleet.db.transaction((tx) => queuePushes(tx, [notification('Ualice')]))
  await eventually(async () => expect(await queued(fleet.db)).toEqual([]), { timeoutMs: 60_000 })
})
