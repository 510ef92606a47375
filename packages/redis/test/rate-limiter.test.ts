import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, test } from '@jest/globals'
import { openRedis, rateLimiter } from '../src/index.ts'

const url = process.env.PARLEY_TEST_REDIS_URL
if (!url) throw new Error('PARLEY_TEST_REDIS_URL is not set: run the tests with packages/tooling/jest.config.mjs')

const clients = [openRedis({ url, name: 'one' }), openRedis({ url, name: 'two' })] as const
const away = openRedis({ url: 'redis://127.0.0.1:1', name: 'away' })
const window = () => ({ key: `test-${randomUUID()}`, points: 3, durationSeconds: 60 })

afterAll(async () => {
  for (const client of [...clients, away]) await client[Symbol.asyncDispose]()
})

async function ready(client: (typeof clients)[number]): Promise<void> {
  if (client.status !== 'ready') await new Promise<void>((resolve) => client.once('ready', () => resolve()))
}

describe('a rate limit', () => {
  test('is shared between processes, per id', async () => {
    await Promise.all(clients.map(ready))
    const shared = window()
    const [one, two] = clients.map((redis) => rateLimiter({ ...shared, redis }))
    for (const limiter of [one, two, one])
      expect(await limiter?.consume('ann')).toEqual({ allowed: true, retryAfterMs: 0 })
    expect(await two?.consume('ann')).toMatchObject({ allowed: false })
    expect(await two?.consume('bob')).toMatchObject({ allowed: true })
  })

  test('can be looked at without being used up, and tells when to come back', async () => {
    await ready(clients[0])
    const limiter = rateLimiter({ ...window(), redis: clients[0] })
    for (let look = 0; look < 5; look++) expect(await limiter.check('ann')).toEqual({ allowed: true, retryAfterMs: 0 })
    for (let use = 0; use < 3; use++) await limiter.consume('ann')
    const refused = await limiter.check('ann')
    expect(refused.allowed).toBe(false)
    expect(refused.retryAfterMs).toBeGreaterThan(0)
    expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('is counted per process while Redis is away', async () => {
    const limiter = rateLimiter({ ...window(), redis: away })
    for (let use = 0; use < 3; use++) expect(await limiter.consume('ann')).toMatchObject({ allowed: true })
    expect(await limiter.consume('ann')).toMatchObject({ allowed: false })
    expect(await limiter.check('ann')).toMatchObject({ allowed: false })
  })
})
