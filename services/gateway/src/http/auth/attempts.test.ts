import { beforeEach, describe, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import type { NetworkLimiter, RateLimiter } from '@parley/redis'
import { createSignInAttempts } from './attempts.ts'

const counter = (points: number) => {
  const spent = new Map<string, number>()
  const add = (id: string, by: number) => {
    const now = (spent.get(id) ?? 0) + by
    spent.set(id, now)
    return Promise.resolve({ allowed: now <= points, retryAfterMs: now <= points ? 0 : 4_200 })
  }
  const limiter: RateLimiter & NetworkLimiter = {
    consume: (id, subject = '') => add(`${subject}${id}`, 1),
    refund: (id, subject = '') => add(`${subject}${id}`, -1).then(() => undefined),
    check: (id) => add(id, 0),
    spent: (id) => Promise.resolve(spent.get(id) ?? 0),
  }
  return { limiter, spent }
}

const wrong = () => Promise.reject(new ConnectError('wrong', Code.Unauthenticated))
const right = () => Promise.resolve('in')
const refusal = { code: Code.ResourceExhausted }

let counters: Record<'pair' | 'address' | 'account' | 'turn' | 'browser' | 'browsers', ReturnType<typeof counter>>
let attempts: ReturnType<typeof createSignInAttempts>
beforeEach(() => {
  counters = {
    ...{ pair: counter(3), address: counter(5), account: counter(4) },
    ...{ turn: counter(1), browser: counter(3), browsers: counter(6) },
  }
  attempts = createSignInAttempts({
    perAccountAndAddress: counters.pair.limiter,
    perAddress: counters.address.limiter,
    perAccount: counters.account.limiter,
    turn: counters.turn.limiter,
    perKnownBrowser: counters.browser.limiter,
    knownPerAccount: counters.browsers.limiter,
  })
})
const run = <T>(identifier: string, address: string, attempt: () => Promise<T>, knownBrowser?: string) =>
  attempts.run(identifier, { address, knownBrowser }, attempt)
const fail = (identifier: string, address: string, browser?: string) =>
  expect(run(identifier, address, wrong, browser)).rejects.toThrow('wrong')

describe('attempts to sign in', () => {
  test('are limited per account and address, regardless of letter case and spaces', async () => {
    for (const name of ['ada', 'Ada', ' ADA ']) await fail(name, '203.0.113.1')
    const refused = await run('ada', '203.0.113.1', right).catch((error: unknown) => ConnectError.from(error))
    expect(refused).toMatchObject(refusal)
    expect((refused as ConnectError).metadata.get('retry-after')).toBe('5')
  })

  test('are limited per address, over all accounts', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fail(name, '203.0.113.1')
    await expect(run('f', '203.0.113.1', right)).rejects.toMatchObject(refusal)
    expect(await run('f', '203.0.113.2', right)).toBe('in')
  })

  test('to one account from a thousand addresses are refused, except for a few', async () => {
    let made = 0
    const attempt = () => {
      made++
      return wrong()
    }
    const many = () => Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => run('ada', `address ${n}`, attempt)))
    await many()
    // The limit per account admits four attempts; beyond it, one is admitted per turn.
    expect(made).toBe(4 + 1)
    await many()
    expect(made).toBe(4 + 1)
    counters.turn.spent.clear()
    await many()
    expect(made).toBe(4 + 2)
    await expect(run('ada', 'elsewhere', right)).rejects.toMatchObject(refusal)
    counters.turn.spent.clear()
    expect(await run('ada', 'elsewhere', right)).toBe('in')
  })

  test('from known browsers are not slowed down by others', async () => {
    for (let n = 0; n < 5; n++) await fail('ada', `address ${n}`)
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fail(name, '203.0.113.1')
    await expect(run('ada', '203.0.113.1', right)).rejects.toMatchObject(refusal)
    expect(await run('ada', '203.0.113.1', right, 'hers')).toBe('in')
  })

  test('from known browsers have their own limit, and beyond it count like others', async () => {
    let made = 0
    const attempt = () => {
      made++
      return wrong()
    }
    const guess = (n: number) => run('ada', '203.0.113.1', attempt, `stolen ${n}`)
    await Promise.allSettled(Array.from({ length: 10 }, () => guess(1)))
    expect(made).toBe(3 + 3)
    await Promise.allSettled(Array.from({ length: 100 }, (_, n) => guess(n)))
    expect(made).toBe(6 + 3)
  })

  test('do not count if they succeed or the server fails', async () => {
    for (let at = 0; at < 10; at++) {
      for (const browser of [undefined, 'hers']) {
        expect(await run('ada', '203.0.113.1', right, browser)).toBe('in')
        const broken = () => Promise.reject(new ConnectError('unavailable', Code.Unavailable))
        await expect(run('ada', '203.0.113.1', broken, browser)).rejects.toThrow('unavailable')
      }
    }
    expect(Object.values(counters).flatMap(({ spent }) => [...spent.values()])).toEqual([0, 0, 0, 0, 0])
  })

  test('are counted without storing the typed text', async () => {
    await fail('secret@example.org', '203.0.113.1')
    expect(JSON.stringify([...counters.pair.spent, ...counters.account.spent])).not.toContain('secret')
  })
})
