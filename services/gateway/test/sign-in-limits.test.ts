import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually, jsonOf, type Browser } from '@parley/testkit'
import { useEnv, type Gateway } from './_env.ts'

const settings = {
  PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1',
  PARLEY_GATEWAY_SIGN_IN_ATTEMPTS: '3',
  PARLEY_GATEWAY_SIGN_IN_ATTEMPTS_PER_ADDRESS: '6',
  PARLEY_GATEWAY_SIGN_IN_SLOW_AFTER: '1000',
  PARLEY_GATEWAY_MAILS_PER_ADDRESS: '4',
  PARLEY_GATEWAY_PROVIDER_SIGN_INS_PER_ADDRESS: '2',
}

const env = useEnv()
let gateways: Gateway[]
let browser: Browser
beforeAll(async () => {
  gateways = [await env.start(settings), await env.start(settings)]
  await waitForSharedCounts(gateways)
})

let people = 0
let networks = 0
let login: string
beforeEach(() => {
  browser = gateways[0]?.browser() ?? fail()
  login = `person-${++people}`
  env.accounts.passwords.set(login, { password: 'correct horse', userId: 'U1' })
})
const fail = (): never => {
  throw new Error('there is no gateway')
}

const newAddress = () => `198.${18 + Math.floor(++networks / 250)}.${networks % 250}.1`
const attempt = (address: string, password = 'wrong', who = browser, name = login) =>
  who.postJson('/auth/login', { login: name, password }, { 'x-forwarded-for': address })

/** Waits until every gateway counts in Redis instead of on its own. */
const waitForSharedCounts = (gateways: Gateway[]) =>
  eventually(async () => {
    const [address, [one, other]] = [newAddress(), gateways.map((gateway) => gateway.browser())]
    for (let i = 0; i < 3; i++) await attempt(address, 'wrong', one, 'nobody')
    expect((await attempt(address, 'wrong', other, 'nobody')).status).toBe(429)
  })

describe('an account under attack', () => {
  const strict = { ...settings, PARLEY_GATEWAY_SIGN_IN_SLOW_AFTER: '3' }
  let one: Gateway
  let other: Gateway
  beforeAll(async () => {
    ;[one, other] = [await env.start(strict), await env.start(strict)]
    await waitForSharedCounts([one, other])
  })

  test('admits few attempts of strangers, and its owner from a known browser', async () => {
    const own = one.browser()
    expect((await attempt(newAddress(), 'correct horse', own)).status).toBe(200)
    await own.postJson('/auth/logout', {}, { 'x-csrf-token': own.jar.get('parley_csrf') ?? '' })
    const countAttempts = () =>
      env.accounts.requests('passwordLogin').filter(({ identifier }) => identifier === login).length
    const [before, started] = [countAttempts(), Date.now()]
    const attack = async (address: string, count: number) => {
      const strangers = Array.from({ length: count }, (_, n) => (n % 2 ? one : other).browser())
      return Promise.all(strangers.map((who) => attempt(address === '' ? newAddress() : address, 'wrong', who)))
    }
    const answers = await attack('', 100)
    expect(answers.filter(({ status }) => status === 401).length).toBe(countAttempts() - before)
    // Three attempts are allowed, and another one every five seconds; the first of these may be due at once.
    expect(countAttempts() - before).toBeLessThanOrEqual(3 + 1 + Math.floor((Date.now() - started) / 5_000))
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/)
    // The owner is admitted even from the attacking network, whose limit is exhausted.
    const attackers = newAddress()
    await attack(attackers, 20)
    for (let n = 0; n < 8; n++) await attempt(attackers, 'wrong', other.browser(), `nobody-${n}`)
    expect((await attempt(attackers, 'correct horse', other.browser())).status).toBe(429)
    const name = ` ${login.toUpperCase()} `
    env.accounts.passwords.set(name, { password: 'correct horse', userId: 'U1' })
    expect((await attempt(attackers, 'correct horse', own, name)).status).toBe(200)
  })

  test('admits the browser in which its owner set a new password with a mailed token', async () => {
    const own = one.browser()
    env.accounts.answers.set('resetPassword', () => ({ userId: 'U1', names: [login, `${login}@example.org`] }))
    expect((await own.postJson('/auth/reset-password', { token: 'mailed', password: 'correct horse' })).status).toBe(
      200,
    )
    const address = newAddress()
    for (let n = 0; n < 8; n++) await attempt(address, 'wrong', other.browser())
    expect((await attempt(address, 'correct horse', other.browser())).status).toBe(429)
    expect((await attempt(address, 'correct horse', own)).status).toBe(200)
  })

  test('does not admit a browser with a forged or foreign cookie', async () => {
    const own = one.browser()
    env.accounts.passwords.set('other', { password: 'correct horse', userId: 'U2' })
    expect((await attempt(newAddress(), 'correct horse', own, 'other')).status).toBe(200)
    const cookie = own.jar.get('parley_known') ?? ''
    expect(cookie).not.toContain('other')
    const address = newAddress()
    for (let n = 0; n < 8; n++) await attempt(address, 'wrong', other.browser())
    const [id, mark] = cookie.split('.')
    for (const value of [cookie, `${id}.${'A'.repeat(22)}`, `${'A'.repeat(22)}.${mark}`, 'nonsense', `${id}`]) {
      const from = { 'x-forwarded-for': address, cookie: `parley_known=${value}` }
      const answer = await other.browser().postJson('/auth/login', { login, password: 'correct horse' }, from)
      expect(answer.status).toBe(429)
    }
  })
})

test('an IPv6 /56 has twice the limit of a /64', async () => {
  const addresses = Array.from({ length: 64 }, (_, n) => `2001:db8:77:a${n.toString(16).padStart(2, '0')}::1`)
  const statuses: number[] = []
  for (const [n, address] of addresses.entries())
    statuses.push((await attempt(address, 'wrong', browser, `nobody-of-them-${n}`)).status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(12)
  const mails: number[] = []
  for (const address of addresses)
    mails.push(
      (await browser.postJson('/auth/register', { email: 'x@example.org' }, { 'x-forwarded-for': address })).status,
    )
  expect(mails.filter((status) => status === 200)).toHaveLength(8)
})

describe('failed sign-ins', () => {
  test('to an account from one address are limited across gateways', async () => {
    const address = newAddress()
    for (let i = 0; i < 3; i++) expect((await attempt(address)).status).toBe(401)
    for (const gateway of gateways) {
      const answer = await attempt(address, 'correct horse', gateway.browser())
      expect([answer.status, jsonOf(answer)]).toEqual([429, { error: expect.stringContaining('too many') }])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(200)
    }
  })

  test('lock out neither the account elsewhere nor other accounts at the address', async () => {
    const address = newAddress()
    for (let i = 0; i < 5; i++) await attempt(address)
    expect((await attempt(newAddress(), 'correct horse')).status).toBe(200)
    env.accounts.passwords.set('other', { password: 'correct horse', userId: 'U2' })
    expect((await attempt(address, 'correct horse', browser, 'other')).status).toBe(200)
  })

  test('from many addresses do not lock the account', async () => {
    for (let i = 0; i < 30; i++) expect((await attempt(newAddress())).status).toBe(401)
    expect((await attempt(newAddress(), 'correct horse')).status).toBe(200)
  })

  test('from one address to many accounts are limited', async () => {
    const address = newAddress()
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push((await attempt(address, 'wrong', browser, `nobody-${i}`)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 429, 429])
  })

  test('are counted even if concurrent', async () => {
    const address = newAddress()
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt(address)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3)
  })

  test('are limited even while Redis is down', async () => {
    await env.redis.stop()
    const address = newAddress()
    for (let i = 0; i < 3; i++) expect((await attempt(address)).status).toBe(401)
    expect((await attempt(address)).status).toBe(429)
    expect((await attempt(newAddress(), 'correct horse')).status).toBe(200)
    await env.redis.start()
    await waitForSharedCounts(gateways)
  })
})

test('sign-ins that succeed are not counted', async () => {
  const address = newAddress()
  for (let i = 0; i < 10; i++) expect((await attempt(address, 'correct horse')).status).toBe(200)
})

test('one address may request a limited number of mails', async () => {
  const from = { 'x-forwarded-for': newAddress() }
  const request = (path: string, i: number) => browser.postJson(path, { email: `p${i}@example.org` }, from)
  for (let i = 0; i < 4; i++)
    expect((await request(i % 2 ? '/auth/register' : '/auth/forgot-password', i)).status).toBe(200)
  const refused = await request('/auth/register', 5)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
})

test('one address may start a limited number of sign-ins at providers', async () => {
  env.accounts.answers.set('startProviderLogin', () => ({ authorizeUrl: 'https://idp.example/authorize' }))
  const from = { 'x-forwarded-for': newAddress() }
  const begin = async (headers: Record<string, string>) => (await browser.get('/auth/providers/corp', headers)).status
  expect([await begin(from), await begin(from), await begin(from)]).toEqual([307, 307, 429])
  expect(browser.page?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await begin({ 'x-forwarded-for': newAddress() })).toBe(307)
})

test('sign-in requests also count towards the limits of reads and writes per network', async () => {
  const counted = { PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1', PARLEY_LIMITS_WRITES_PER_MINUTE: '3' }
  const who = (await env.start({ ...counted, PARLEY_LIMITS_READS_PER_MINUTE: '3' })).browser()
  const statuses = async (from: Record<string, string>) => [
    (await who.postJson('/auth/revoke-token', { token: 'none' }, from)).status,
    (await who.postJson('/oauth/token', { grant_type: 'none' }, from)).status,
    (await who.get('/oauth/authorize', from)).status,
    (await who.get('/auth/providers/corp/callback', from)).status,
  ]
  const from = { 'x-forwarded-for': newAddress() }
  // A new minute may begin in between.
  await eventually(async () => expect(await statuses(from)).toEqual([429, 429, 429, 429]))
  expect(who.page?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await statuses({ 'x-forwarded-for': newAddress() })).not.toContain(429)
})
