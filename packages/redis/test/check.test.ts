import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { openRedis, rateLimiter } from '../src/index.ts'

async function connectRedis() {
  const redis = openRedis({ url: process.env.PARLEY_TEST_REDIS_URL ?? '', name: 'test', commandTimeoutMs: 60_000 })
  // Until Redis is connected, a limit is counted in this process only.
  await once(redis, 'ready')
  return redis
}

test('checking a limit takes no point, and returns when to retry', async () => {
  await using redis = await connectRedis()
  const limiter = rateLimiter({ redis, key: randomUUID(), points: 3, durationSeconds: 60 })
  for (let look = 0; look < 5; look++) expect(await limiter.check('ann')).toEqual({ allowed: true, retryAfterMs: 0 })
  for (let use = 0; use < 3; use++) await limiter.consume('ann')
  const refused = await limiter.check('ann')
  expect(refused.allowed).toBe(false)
  expect(refused.retryAfterMs).toBeGreaterThan(50_000)
})

test('a refunded point is available again', async () => {
  await using redis = await connectRedis()
  const limiter = rateLimiter({ redis, key: randomUUID(), points: 2, durationSeconds: 60 })
  expect(await limiter.spent('ann')).toBe(0)
  for (let use = 0; use < 2; use++) await limiter.consume('ann')
  expect(await limiter.spent('ann')).toBe(2)
  await limiter.refund('ann')
  expect(await limiter.spent('ann')).toBe(1)
  expect((await limiter.consume('ann')).allowed).toBe(true)
  expect((await limiter.consume('ann')).allowed).toBe(false)
})
