import { beforeAll, describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { eq, sql } from 'drizzle-orm'
import { eventually, requestErasure } from '@parley/testkit'
import { pushSubscriptions } from '../src/store/schema.ts'
import { usePushFleet, pushOn } from './_push-fleet.ts'
import { notification, queuedPushes, insertSubscription } from './_push-jobs.ts'
import { publish } from './_room-publisher.ts'

const inside = ['10.0.0.1', '127.0.0.1', '169.254.169.254', '192.168.1.1', '[::1]', '[fd00::1]', '[::ffff:10.0.0.1]']
const resolved: string[] = []
const push = usePushFleet()

beforeAll(async () => {
  const { isPublicAddress } = await import('@parley/outbound')
  await push.fleet.start(pushOn, {
    push: {
      network: {
        isAllowed: isPublicAddress,
        allowPlain: false,
        resolve: (name) => {
          resolved.push(name)
          return new Promise(() => {})
        },
      },
    },
  })
})

const browserOf = (name: string) => ({ ...push.service.subscribe(name), endpoint: `https://push.example/${name}` })
const as = (userId: string) => push.fleet.as(userId).push
const stored = async () => {
  const rows = await push.fleet.db.select().from(pushSubscriptions)
  return (userId: string) => rows.filter((row) => row.userId === userId)
}

test('a subscription is stored once, with its latest keys', async () => {
  const browser = { ...browserOf('phone'), userAgent: 'Browser 1' }
  expect(await as('Ua').subscribe(browser)).toMatchObject({ subscribed: true })
  expect(await as('Ua').subscribe({ ...browser, ...browserOf('phone') })).toMatchObject({ subscribed: true })
  const last = { ...browserOf('phone'), userAgent: 'Browser 2' }
  await as('Ua').subscribe({ ...last, endpoint: `${last.endpoint}#part` })
  expect((await stored())('Ua')).toMatchObject([{ ...last, host: 'push.example' }])
})

let versions = 0n
const endCredentials = (userId: string, ended: { credentialIds?: string[]; all?: boolean }) =>
  publish(push.fleet.bus, {
    kind: 'credentials_ended',
    aggregateType: 'user',
    aggregateId: userId,
    version: ++versions,
    occurredAt: new Date(),
    actorId: userId,
    fact: { case: 'credentialsEnded', value: { credentialIds: [], all: false, reason: 'logout', ...ended } },
  })

describe('sessions:', () => {
  const inSession = (userId: string, credentialId: string) => push.fleet.inSession(userId, credentialId).push
  const browsersOf = async (userId: string) =>
    (await stored())(userId)
      .map(({ endpoint }) => endpoint.replace('https://push.example/', ''))
      .sort()

  test('a subscription is deleted when its session ends, or when all sessions of its user end', async () => {
    await inSession('Us', 'S-phone').subscribe(browserOf('s-phone'))
    await inSession('Us', 'S-desk').subscribe(browserOf('s-desk'))
    await inSession('Us', 'S-train').subscribe(browserOf('s-train'))
    await inSession('Ut', 'S-other').subscribe(browserOf('t-other'))
    await push.fleet.db
      .update(pushSubscriptions)
      .set({ credentialId: '' })
      .where(eq(pushSubscriptions.endpoint, 'https://push.example/s-train'))
    expect(await browsersOf('Us')).toEqual(['s-desk', 's-phone', 's-train'])
    await endCredentials('Us', { credentialIds: ['S-phone', 'S-other'] })
    // A subscription without a known session is deleted when any session of its user ends.
    await eventually(async () => expect(await browsersOf('Us')).toEqual(['s-desk']))
    await endCredentials('Us', { all: true })
    await eventually(async () => expect(await browsersOf('Us')).toEqual([]))
    expect(await browsersOf('Ut')).toEqual(['t-other'])
  })

  test('a browser that subscribes again is bound to its current session', async () => {
    await inSession('Uw', 'S-old').subscribe(browserOf('w'))
    await inSession('Uw', 'S-new').subscribe(browserOf('w'))
    await inSession('Uw', 'S-old').subscribe(browserOf('w-old'))
    await endCredentials('Uw', { credentialIds: ['S-old'] })
    await eventually(async () => expect(await browsersOf('Uw')).toEqual(['w']))
  })

  test('subscribing fails if the session has ended or cannot be checked; an existing subscription stays', async () => {
    push.fleet.fakes.ended.add('S-gone')
    await expect(inSession('Uv', 'S-gone').subscribe(browserOf('v'))).rejects.toMatchObject({
      code: Code.Unauthenticated,
    })
    expect(await browsersOf('Uv')).toEqual([])
    push.fleet.fakes.unavailableMethods.add('checkCredentials')
    const subscribing = inSession('Uv', 'S-there').subscribe(browserOf('v'))
    await expect(subscribing).rejects.toMatchObject({ code: Code.Unavailable })
    // The session may have ended, and the event about its end may have been handled already.
    expect(await browsersOf('Uv')).toEqual([])
    push.fleet.fakes.unavailableMethods.delete('checkCredentials')
    await inSession('Uv', 'S-there').subscribe(browserOf('v'))
    push.fleet.fakes.unavailableMethods.add('checkCredentials')
    await expect(inSession('Uv', 'S-there').subscribe(browserOf('v'))).rejects.toMatchObject({ code: Code.Unavailable })
    push.fleet.fakes.unavailableMethods.delete('checkCredentials')
    expect(await browsersOf('Uv')).toEqual(['v'])
  })
})

test('an endpoint belongs to the user who registered it last, and pushes of the previous user are deleted', async () => {
  const browser = browserOf('shared')
  await as('Ub').subscribe(browser)
  const queue = await import('../src/engines/push/queue.ts')
  push.fleet.fakes.allUnavailable = true
  await push.fleet.db.transaction((tx) => queue.queuePushes(tx, [notification('Ub')]))
  await as('Uc').subscribe(browser)
  push.fleet.fakes.allUnavailable = false
  const all = await stored()
  expect([all('Ub'), all('Uc')]).toMatchObject([[], [{ endpoint: browser.endpoint }]])
  expect((await queuedPushes(push.fleet.db)).filter((line) => line.includes('shared'))).toEqual([])
})

test('a user keeps the newest 20 browsers, even if they register concurrently', async () => {
  await as('Ud').subscribe(browserOf('oldest'))
  for (let n = 0; n < 24; n += 4)
    await Promise.all([n, n + 1, n + 2, n + 3].map((m) => as('Ud').subscribe(browserOf(`many-${m}`))))
  const endpoints = (await stored())('Ud').map(({ endpoint }) => endpoint)
  expect(endpoints).toHaveLength(20)
  expect(endpoints).not.toContain('https://push.example/oldest')
})

test('unsubscribing deletes only a subscription of the caller, and succeeds even if it deletes nothing', async () => {
  const browser = browserOf('own')
  await as('Ue').subscribe(browser)
  for (const endpoint of [browser.endpoint, 'https://push.example/unknown', 'not a URL'])
    expect(await as('Uf').unsubscribe({ endpoint })).toMatchObject({ unsubscribed: true })
  expect((await stored())('Ue')).toHaveLength(1)
  for (let n = 0; n < 2; n++)
    expect(await as('Ue').unsubscribe({ endpoint: `${browser.endpoint}#x` })).toMatchObject({ unsubscribed: true })
  expect((await stored())('Ue')).toEqual([])
})

test.each([
  'http://push.example/1',
  'ftp://push.example/1',
  'push.example/1',
  'https://user:secret@push.example/1',
  ...inside.map((host) => `https://${host}/push`),
  'https://2130706433/push',
  'https://localhost/push',
  'https://push.localhost/push',
])('the endpoint %s is rejected', async (endpoint) => {
  const subscribing = as('Ug').subscribe({ ...browserOf('x'), endpoint })
  await expect(subscribing).rejects.toMatchObject({
    code: Code.InvalidArgument,
    message: expect.stringContaining('endpoint'),
  })
})

test('subscribing does not resolve the host name', async () => {
  await as('Uh').subscribe({ ...browserOf('x'), endpoint: 'https://silent.example/1' })
  expect((await stored())('Uh')).toHaveLength(1)
  expect(resolved).toEqual([])
})

test.each([
  ['p256dh', 'AAAA'],
  ['p256dh', 'B'.repeat(87)],
  ['auth', 'AAAA'],
  ['auth', 'A'.repeat(30)],
])('the field %s with the value %s is rejected', async (field, value) => {
  const subscribing = as('Ui').subscribe({ ...browserOf('x'), [field]: value })
  await expect(subscribing).rejects.toMatchObject({
    code: Code.InvalidArgument,
    message: expect.stringContaining(field),
  })
})

test('the subscriptions of a deleted person are deleted', async () => {
  const { db, bus, erasures } = push.fleet
  await insertSubscription(db, 'Ugone', 'https://push.example/gone')
  await insertSubscription(db, 'Ustays', 'https://push.example/stays')
  await requestErasure(bus, 'Ugone', 1)
  await eventually(() => expect(erasures.found('Ugone', 1)).toBe(1n))
  const all = await stored()
  expect([all('Ugone').length, all('Ustays').length]).toEqual([0, 1])
})

test.each(['deleting an account', 'ending all sessions'])(
  '%s deletes thousands of queued pushes in batches',
  async (what) => {
    const { db, bus, erasures } = push.fleet
    const userId = what === 'deleting an account' ? 'Umuch' : 'Umore'
    await insertSubscription(db, userId, `https://push.example/${userId}`)
    await db.execute(sql`
    insert into push_jobs (subscription_id, user_id, host, action, tag, created_at, due_at)
    select id, user_id, host, 'show', 'T' || n, now(), now() + interval '1 hour'
    from push_subscriptions, generate_series(1, 2500) n where user_id = ${userId}`)
    await db.execute(sql`create table if not exists batch_sizes (size integer)`)
    await db.execute(sql`truncate batch_sizes`)
    await db.execute(sql`
    create or replace function note_batch() returns trigger language plpgsql as $$
    begin insert into batch_sizes select count(*) from gone; return null; end $$`)
    await db.execute(sql`
    create or replace trigger note_batch after delete on push_jobs referencing old table as gone
    for each statement execute function note_batch()`)
    if (what === 'deleting an account') {
      await requestErasure(bus, userId, 1)
      await eventually(() => expect(erasures.found(userId, 1)).toBe(1n))
    } else await endCredentials(userId, { all: true })
    await eventually(async () => expect((await stored())(userId)).toEqual([]))
    const { rows } = await db.execute(sql`select size from batch_sizes where size > 0`)
    expect(rows.map(({ size }) => size)).toEqual([1000, 1000, 500])
  },
)
