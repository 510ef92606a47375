import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually, PushService } from '@parley/testkit'
import type { Address } from '@parley/outbound'
import { sql } from 'drizzle-orm'
import { usePushFleet } from './_push-fleet.ts'
import { queuedPushes } from './_push-jobs.ts'

/** An address that counts as public. */
const outside = '127.0.0.2'
const push = usePushFleet()
let publicService: PushService
/** Addresses by name, one list per look-up. The last list is used for all further look-ups. */
let answers: Record<string, string[][]> = {}

beforeAll(async () => {
  publicService = push.fleet.use(await PushService.start(outside))
  await push.start({
    network: {
      isAllowed: (address) => address === outside,
      allowPlain: true,
      resolve: (name) => {
        const lists = answers[name] ?? []
        const found = (lists.length > 1 ? lists.shift() : lists[0]) ?? []
        if (found.length === 0) return Promise.reject(new Error('ENOTFOUND'))
        return Promise.resolve(found.map((address): Address => ({ address, family: 4 })))
      },
    },
  })
})
beforeEach(async () => {
  publicService.received.length = 0
  await push.fleet.db.execute(sql`truncate push_subscriptions cascade`)
})

async function subscribeAt(host: string, service: PushService) {
  const browser = service.subscribe('x')
  const endpoint = `http://${host}:${service.port}/push/x`
  await push.fleet.db.execute(sql`
    insert into push_subscriptions (endpoint_digest, endpoint, host, user_id, p256dh, auth, registered_at)
    values (sha256(${endpoint}::bytea), ${endpoint}, ${`${host}:${service.port}`}, 'Ux', ${browser.p256dh}, ${browser.auth}, now())`)
}

const waitUntilDrained = () => eventually(async () => expect(await queuedPushes(push.fleet.db)).toEqual([]))

test('a push service at an allowed address is contacted, by name or by address', async () => {
  answers = { 'push.example': [[outside]] }
  await subscribeAt('push.example', publicService)
  await push.notify('Ux')
  await waitUntilDrained()
  await push.fleet.db.execute(sql`truncate push_subscriptions cascade`)
  await subscribeAt(outside, publicService)
  await push.notify('Ux', { eventId: 'E2' })
  await waitUntilDrained()
  expect(publicService.received).toHaveLength(2)
})

test.each([...['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.1', 'localhost', 'inside.example', 'both.example']])(
  'the host %s is not contacted, and the push is dropped',
  async (host) => {
    answers = {
      localhost: [['127.0.0.1']],
      'inside.example': [['127.0.0.1']],
      'both.example': [[outside, '127.0.0.1']],
    }
    await subscribeAt(host, push.service)
    await push.notify('Ux')
    await waitUntilDrained()
    expect(push.service.received).toEqual([])
  },
)

test('a name that later resolves to a private address is no longer contacted', async () => {
  // Nothing listens on this port of the first address, so the push is tried again.
  answers = { 'turning.example': [[outside], ['127.0.0.1']] }
  await subscribeAt('turning.example', push.service)
  await push.notify('Ux')
  await waitUntilDrained()
  expect(answers['turning.example']).toEqual([['127.0.0.1']])
  expect(push.service.received).toEqual([])
})
