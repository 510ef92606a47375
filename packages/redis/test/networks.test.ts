import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { eagerLimiter, networkLimiter, openRedis, takeFromNetworks, waitMsOfNetworks } from '../src/index.ts'

async function connectRedis() {
  const redis = openRedis({ url: process.env.PARLEY_TEST_REDIS_URL ?? '', name: 'test', commandTimeoutMs: 60_000 })
  // Until Redis is connected, a limit is counted in this process only.
  await once(redis, 'ready')
  return redis
}

const subnets = Array.from({ length: 256 }, (_, n) => `2001:db8:1:2${n.toString(16).padStart(2, '0')}::1`)

test('a client that rotates through a /56 gets twice the limit of a /64', async () => {
  await using redis = await connectRedis()
  const limiter = networkLimiter({ redis, key: randomUUID(), points: 5, durationSeconds: 60 })
  let taken = 0
  for (const address of subnets) if ((await limiter.consume(address)).allowed) taken++
  expect(taken).toBe(10)
  expect((await limiter.consume('2001:db8:1:400::1')).allowed).toBe(true)
})

test('a refused address takes no point from its networks, and a refund returns what was taken', async () => {
  await using redis = await connectRedis()
  const limiter = networkLimiter({ redis, key: randomUUID(), points: 1, durationSeconds: 60 })
  const allowed = async (address: string, subject?: string) => (await limiter.consume(address, subject)).allowed
  expect([await allowed('2001:db8:1:1::1'), await allowed('2001:db8:1:1::2')]).toEqual([true, false])
  expect([await allowed('2001:db8:1:2::1'), await allowed('2001:db8:1:3::1')]).toEqual([true, false])
  expect(await allowed('2001:db8:1:3::1', 'of another subject')).toBe(true)
  await limiter.refund('2001:db8:1:1::1')
  expect(await allowed('2001:db8:1:3::1')).toBe(true)
})

test('the eager limiter also gives a /56 twice the limit of a /64', async () => {
  await using redis = await connectRedis()
  await using limiter = eagerLimiter({ redis, key: randomUUID(), points: 5, windowMs: 60_000, now: () => 0 })
  expect(subnets.filter((address) => takeFromNetworks(limiter, address) === 0)).toHaveLength(10)
  expect([waitMsOfNetworks(limiter, subnets[200] ?? ''), waitMsOfNetworks(limiter, '2001:db8:1:400::1')]).toEqual([
    60_000, 0,
  ])
})
