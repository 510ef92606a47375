import { Code } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { queuePushes } from '../src/engines/push/queue.ts'
import { useFleet } from './_fleet.ts'
import { notification, queuedPushes, insertSubscription } from './_push-jobs.ts'

const fleet = useFleet()

beforeAll(() => fleet.start())

test('while push is not configured, subscribing is refused, and unsubscribing succeeds', async () => {
  const { push } = fleet.as('Ualice')
  const endpoint = 'https://push.example/1'
  await expect(push.subscribe({ endpoint, p256dh: 'x', auth: 'x' })).rejects.toMatchObject({
    code: Code.FailedPrecondition,
  })
  await insertSubscription(fleet.db, 'Ualice', endpoint)
  expect(await push.unsubscribe({ endpoint })).toMatchObject({ unsubscribed: true })
})

test('while push is not configured, queued pushes are deleted', async () => {
  await insertSubscription(fleet.db, 'Ualice', 'https://push.example/2')
  await fleet.db.transaction((tx) => queuePushes(tx, [notification('Ualice')]))
  await eventually(async () => expect(await queuedPushes(fleet.db)).toEqual([]), { timeoutMs: 60_000 })
})
