import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eagerLimiter, openRedis } from '../src/index.ts'

const url = process.env.PARLEY_TEST_REDIS_URL ?? ''

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 30_000; !(await check()); await sleep(5))
    if (Date.now() > until) throw new Error('the condition was never met')
}

/** Processes that share a limit, with a clock that the test controls. */
async function openProcesses(points: number, redisUrl = url, more: { maxIds?: number } = {}) {
  const redis = openRedis({ url: redisUrl, name: 'test', commandTimeoutMs: 60_000 })
  if (redisUrl === url) await eventually(() => redis.status === 'ready')
  const key = randomUUID()
  const clock = { now: 600_000 }
  const limit = { redis, key, points, windowMs: 60_000, flushEveryMs: 10, now: () => clock.now, ...more }
  const [one, other] = [eagerLimiter(limit), eagerLimiter(limit)]
  return {
    ...{ one, other, redis, clock, name: `limit:{${key}}:10:a` },
    async [Symbol.asyncDispose]() {
      for (const opened of [one, other, redis]) await opened[Symbol.asyncDispose]()
    },
  }
}

const takeMany = (limiter: { take(id: string): number }, times: number, id = 'a') =>
  Array.from({ length: times }, () => limiter.take(id)).filter((wait) => wait === 0).length

test('each id gets the points of a window', async () => {
  await using fleet = await openProcesses(3)
  fleet.clock.now += 20_000
  expect(takeMany(fleet.one, 5)).toBe(3)
  expect(fleet.one.take('a')).toBe(40_000)
  expect(takeMany(fleet.one, 5, 'b')).toBe(3)
  fleet.clock.now += 40_000
  expect(takeMany(fleet.one, 5)).toBe(3)
})

test('points taken by one process count in the others', async () => {
  await using fleet = await openProcesses(10)
  const { one, other, redis, name } = fleet
  expect(takeMany(one, 9)).toBe(9)
  await eventually(async () => (await redis.get(name)) === '9')
  expect(takeMany(other, 1)).toBe(1)
  await eventually(async () => (await redis.get(name)) === '10')
  await eventually(() => other.take('a') > 0)
  expect(await redis.pttl(name)).toBeGreaterThan(0)
})

test('without Redis each process counts separately', async () => {
  await using fleet = await openProcesses(5, 'redis://127.0.0.1:1')
  await sleep(50)
  expect([takeMany(fleet.one, 9), takeMany(fleet.other, 9)]).toEqual([5, 5])
})

test('0 points mean no limit', async () => {
  await using fleet = await openProcesses(0)
  expect(takeMany(fleet.one, 1000)).toBe(1000)
})

test('reading the wait takes no point', async () => {
  await using fleet = await openProcesses(2)
  expect([fleet.one.wait('a'), fleet.one.wait('a'), fleet.one.wait('a')]).toEqual([0, 0, 0])
  expect(takeMany(fleet.one, 5)).toBe(2)
  expect(fleet.one.wait('a')).toBe(60_000)
  expect(fleet.one.wait('b')).toBe(0)
})

test('up to maxIds ids count separately in a window, and all others together', async () => {
  await using fleet = await openProcesses(2, url, { maxIds: 3 })
  const { clock, one } = fleet
  for (const id of ['a', 'b', 'c']) expect(takeMany(one, 1, id)).toBe(1)
  expect(Array.from({ length: 9 }, (_, n) => one.take(`more ${n}`)).filter((wait) => wait === 0)).toHaveLength(2)
  expect(one.wait('one more')).toBe(60_000)
  for (const id of ['a', 'b', 'c']) expect(takeMany(one, 9, id)).toBe(1)
  clock.now += 60_000
  expect(takeMany(one, 9, 'one more')).toBe(2)
})
