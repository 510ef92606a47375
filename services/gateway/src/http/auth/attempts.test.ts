import { beforeEach, describe, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import type { RateLimiter } from '@parley/redis'
import { signInAttempts, waitAfter } from './attempts.ts'

const counter = (points: number) => {
  const spent = new Map<string, number>()
  const add = (id: string, by: number) => {
    const now = (spent.get(id) ?? 0) + by
    spent.set(id, now)
    return Promise.resolve({ allowed: now <= points, retryAfterMs: now <= points ? 0 : 4_200 })
  }
  const limiter: RateLimiter = {
    consume: (id) => add(id, 1),
    check: (id) => add(id, 0),
    refund: (id) => add(id, -1).then(() => undefined),
    spent: (id) => Promise.resolve(spent.get(id) ?? 0),
  }
  return { limiter, spent }
}

const wrong = () => Promise.reject(new ConnectError('wrong', Code.Unauthenticated))
const right = () => Promise.resolve('in')

let waits: number[]
let counters: Record<'pair' | 'address' | 'account', ReturnType<typeof counter>>
let run: ReturnType<typeof signInAttempts>['run']
beforeEach(() => {
  waits = []
  counters = { pair: counter(3), address: counter(5), account: counter(Infinity) }
  ;({ run } = signInAttempts({
    perAccountAndAddress: counters.pair.limiter,
    perAddress: counters.address.limiter,
    perAccount: counters.account.limiter,
    slowAfter: 4,
    wait: (ms) => Promise.resolve(waits.push(ms)),
  }))
})
const fail = (identifier: string, address: string) => expect(run(identifier, address, wrong)).rejects.toThrow('wrong')

describe('attempts to sign in', () => {
  test('end per account and address, however the account is written', async () => {
    for (const name of ['ada', 'Ada', ' ADA ']) await fail(name, '203.0.113.1')
    const refused = await run('ada', '203.0.113.1', right).catch((error: unknown) => ConnectError.from(error))
    expect(refused).toMatchObject({ code: Code.ResourceExhausted })
    expect((refused as ConnectError).metadata.get('retry-after')).toBe('5')
  })

  test('end per address, whoever is tried, and for a whole IPv6 network', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await fail(name, '2001:db8:1:2::1')
    await expect(run('f', '2001:db8:1:2::9', right)).rejects.toMatchObject({ code: Code.ResourceExhausted })
    expect(await run('f', '2001:db8:1:3::9', right)).toBe('in')
  })

  test('never end per account: they only wait, longer each time', async () => {
    for (let at = 1; at <= 7; at++) await fail('ada', `203.0.113.${at}`)
    expect(waits).toEqual([250, 500, 1_000])
    expect(await run('ada', '203.0.113.200', right)).toBe('in')
  })

  test('that are none do not count: successes, and failures of ours', async () => {
    for (let at = 0; at < 10; at++) {
      expect(await run('ada', '203.0.113.1', right)).toBe('in')
      const broken = () => Promise.reject(new ConnectError('away', Code.Unavailable))
      await expect(run('ada', '203.0.113.1', broken)).rejects.toThrow('away')
    }
    expect([...counters.account.spent.values(), ...counters.pair.spent.values()]).toEqual([0, 0])
  })

  test('many at once do not slip through together', async () => {
    let made = 0
    const attempt = () => {
      made++
      return wrong()
    }
    await Promise.allSettled(Array.from({ length: 20 }, () => run('ada', '203.0.113.1', attempt)))
    expect(made).toBe(3)
  })

  test('leave nothing of what was typed in the counters', async () => {
    await fail('secret@example.org', '203.0.113.1')
    expect(JSON.stringify([...counters.pair.spent, ...counters.account.spent])).not.toContain('secret')
  })
})

test('the wait grows up to five seconds', () => {
  expect([3, 4, 5, 6, 8, 9, 1_000].map((failures) => waitAfter(failures, 4))).toEqual([
    ...[0, 250, 500, 1_000, 4_000, 5_000, 5_000],
  ])
})
