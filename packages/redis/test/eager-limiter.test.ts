import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eagerLimiter, openRedis } from '../src/index.ts'

const url = process.env.PARLEY_TEST_REDIS_URL ?? ''

async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 10_000; !(await check()); await sleep(5))
    if (Date.now() > until) throw new Error('it never came to be')
}

/** Processes that share a limit, at a time that a test can change. */
async function processes(points: number, at = url) {
  const redis = openRedis({ url: at, name: 'test' })
  if (at === url) await eventually(() => redis.status === 'ready')
  const key = randomUUID()
  const clock = { now: 600_000 }
  const limit = { redis, key, points, windowMs: 60_000, flushEveryMs: 10, now: () => clock.now }
  const [one, other] = [eagerLimiter(limit), eagerLimiter(limit)]
  return {
    ...{ one, other, redis, clock, name: `limit:{${key}}:10:a` },
    async [Symbol.asyncDispose]() {
      for (const opened of [one, other, redis]) await opened[Symbol.asyncDispose]()
    },
  }
}

const taken = (limiter: { take(id: string): number }, times: number, id = 'a') =>
  Array.from({ length: times }, () => limiter.take(id)).filter((wait) => wait === 0).length

test('so many are given out in a window, to each id', async () => {
  await using fleet = await processes(3)
  fleet.clock.now += 20_000
  expect(taken(fleet.one, 5)).toBe(3)
  expect(fleet.one.take('a')).toBe(40_000)
  expect(taken(fleet.one, 5, 'b')).toBe(3)
  fleet.clock.now += 40_000
  expect(taken(fleet.one, 5)).toBe(3)
})

test('what one process gives out the others come to know', async () => {
  await using fleet = await processes(10)
  const { one, other, redis, name } = fleet
  expect(taken(one, 9)).toBe(9)
  await eventually(async () => (await redis.get(name)) === '9')
  expect(taken(other, 1)).toBe(1)
  await eventually(async () => (await redis.get(name)) === '10')
  await eventually(() => other.take('a') > 0)
  expect(await redis.pttl(name)).toBeGreaterThan(0)
})

test('without Redis each counts for itself', async () => {
  await using fleet = await processes(5, 'redis://127.0.0.1:1')
  await sleep(50)
  expect([taken(fleet.one, 9), taken(fleet.other, 9)]).toEqual([5, 5])
})

test('without points there is no limit', async () => {
  await using fleet = await processes(0)
  expect(taken(fleet.one, 1000)).toBe(1000)
})
