import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { forwardedHeaders } from '@parley/credentials'
import { eventually } from '@parley/testkit'
import { credentialSecrets } from './_accounts.ts'
import { openEnv, type Env } from './_env.ts'
import { FileFixture } from './_file-fixture.ts'

const maxPerMinute = 12

let env: Env
let files: FileFixture
let id = ''
beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  files = new FileFixture(env)
  await files.start({ PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: String(maxPerMinute) })
  id = await files.attach(Buffer.from('a file'))
  env.accounts.signIn('Ubob', { token: 'bobs-token' })
  env.accounts.signIn('Ualice', { token: 'alices-token' })
})
afterAll(async () => env[Symbol.asyncDispose]())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const from = (address: string) => forwardedHeaders(credentialSecrets, address)
const read = async (address: string, headers: Record<string, string> = {}, query = '') =>
  fetch(files.unsignedUrlOf(id) + query, { headers: { ...from(address), ...headers } })
const statusOf = async (...request: Parameters<typeof read>) => (await read(...request)).status

/**
 * Sends requests until a network has no attempts left, then runs `more`. All of it is repeated if a new minute begins.
 */
async function exhaust(send: (n: number) => Promise<number>, more?: () => Promise<void>): Promise<void> {
  await eventually(async () => {
    const statuses = []
    for (let n = 0; n <= maxPerMinute; n++) statuses.push(await send(n))
    expect(statuses.at(-1)).toBe(429)
    await more?.()
  })
}

test('requests without a valid credential are counted by network and refused above the limit', async () => {
  expect(await statusOf('198.51.100.7', bearer('bobs-token'))).toBe(200)
  await exhaust(
    (n) => statusOf('198.51.100.7', n % 4 ? bearer(`made-up-${n}`) : {}),
    async () => {
      const callsBefore = env.accounts.calls
      const refused = await read('198.51.100.7', bearer('made-up'))
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { error: expect.stringContaining('wait and try again') },
      ])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(env.accounts.calls).toBe(callsBefore)
    },
  )

  // Signed-in users and signed URLs are still admitted, and other networks are not affected.
  expect(await statusOf('198.51.100.7', bearer('bobs-token'))).toBe(200)
  const { search } = new URL(files.signedUrlOf(id))
  expect(await statusOf('198.51.100.7', {}, search)).toBe(200)
  expect(await statusOf('203.0.113.8', bearer('made-up'))).toBe(401)
  expect(await statusOf('203.0.113.8', bearer('alices-token'))).toBe(200)
})

test('concurrent requests do not exceed the limit', async () => {
  const callsBefore = env.accounts.calls
  let release = () => {}
  env.accounts.blocker = new Promise((resolve) => (release = resolve))
  const burst = Array.from({ length: 80 }, (_, n) => statusOf('198.51.100.37', bearer(`made-up-at-once-${n}`)))
  await eventually(() => env.accounts.calls - callsBefore >= maxPerMinute)
  for (let n = 0; n < 5; n++) await statusOf('198.51.100.38', {})
  release()
  const statuses = await Promise.all(burst)
  // A new minute may begin in between. Each credential is looked up under the current key and the previous one.
  expect(env.accounts.calls - callsBefore).toBeLessThanOrEqual(2 * 2 * maxPerMinute)
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(2 * maxPerMinute)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(80 - 2 * maxPerMinute)
})

test('the credential of a client that disconnects while waiting is not looked up', async () => {
  const callsBefore = env.accounts.calls
  let release = () => {}
  env.accounts.blocker = new Promise((resolve) => (release = resolve))
  const staying = Array.from({ length: maxPerMinute }, (_, n) => {
    env.accounts.signIn('Ubob', { token: `stays-${n}` })
    return statusOf('198.51.100.47', bearer(`stays-${n}`))
  })
  await eventually(() => env.accounts.calls - callsBefore === maxPerMinute)
  const leaving = new AbortController()
  const headers = { ...from('198.51.100.47'), ...bearer('alices-other') }
  const aborted = Array.from({ length: 20 }, () =>
    fetch(files.unsignedUrlOf(id), { headers, signal: leaving.signal }).catch(() => undefined),
  )
  for (let n = 0; n < 5; n++) await statusOf('198.51.100.48', {})
  leaving.abort()
  await Promise.all(aborted)
  for (let n = 0; n < 5; n++) await statusOf('198.51.100.48', {})
  release()
  expect(await Promise.all(staying)).toEqual(staying.map(() => 200))
  expect(env.accounts.calls - callsBefore).toBe(maxPerMinute)
})

test('requests for URLs with an invalid signature count, too', async () => {
  await exhaust(
    (n) => statusOf('198.51.100.17', {}, `?access=made-up-${n}`),
    async () => expect(await statusOf('198.51.100.17', bearer('made-up'))).toBe(429),
  )
})

test('a credential that has become invalid does not bypass the limit', async () => {
  env.accounts.signIn('Ubob', { token: 'short-lived' })
  expect(await statusOf('198.51.100.27', bearer('short-lived'))).toBe(200)
  env.accounts.signOut('short-lived')
  await exhaust(() => statusOf('198.51.100.27', bearer('short-lived')))
})

test('an IPv6 /64 counts as one network', async () => {
  await exhaust(
    (n) => statusOf(`2001:db8:1:2::${n + 1}`, bearer('made-up')),
    async () => expect(await statusOf('2001:db8:1:2:ffff::1', bearer('made-up'))).toBe(429),
  )
  expect(await statusOf('2001:db8:9:2::1', bearer('made-up'))).toBe(401)
})

test('an address that the client itself sends is ignored', async () => {
  const forgedHeaders = (n: number) => ({ ...from(`192.0.2.${n}`), 'parley-forwarded-for-proof': 'made-up' })
  const send = async (n: number) =>
    (await fetch(files.unsignedUrlOf(id), { headers: { ...forgedHeaders(n), ...bearer('made-up') } })).status
  await exhaust(send, async () => expect(await send(200)).toBe(429))
})
