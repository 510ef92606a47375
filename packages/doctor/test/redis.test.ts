import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openRedis, rateLimiter, type RedisClient } from '@parley/redis'
import { eventually, testRedis } from '@parley/testkit'
import { redisCheck } from '../src/redis.ts'
import { found, problems } from './_found.ts'

const check = redisCheck('gateway')
const user = `doctor-${process.pid}`
let redis: Awaited<ReturnType<typeof testRedis>>
let admin: RedisClient

const at = (password: string) => {
  const url = new URL(redis.url)
  Object.assign(url, { username: user, password })
  return { PARLEY_REDIS_URL: url.href }
}

beforeAll(async () => {
  redis = await testRedis()
  admin = openRedis({ url: redis.url, name: 'test' })
  await new Promise<void>((resolve) => admin.once('ready', () => resolve()))
  await admin.call('ACL', 'SETUSER', user, 'on', '>right-password', '~*', '&*', '+@all')
})
afterAll(async () => {
  await eventually(() => admin.call('ACL', 'DELUSER', user))
  await admin[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

test('a healthy Redis is found in order', async () => {
  expect(await problems(check, at('right-password'))).toEqual([])
  expect(await admin.keys('*doctor*')).toEqual([])
})

test('a wrong password is named, but not shown', async () => {
  const [finding] = await problems(check, at('wrong-password'))
  expect(finding).toMatchObject({
    check: 'redis.reach',
    result: 'fail',
    next: expect.stringContaining('PARLEY_REDIS_URL'),
  })
  expect(JSON.stringify(finding)).not.toContain('wrong-password')
})

test.each(['pa#ss', '12/34'])('a password %p that is not encoded', async (password) => {
  const { host } = new URL(redis.url)
  expect(await problems(check, { PARLEY_REDIS_URL: `redis://${user}:${password}@${host}` })).toEqual([
    expect.objectContaining({ check: 'redis.reach', result: 'fail', next: expect.stringContaining('# as %23') }),
  ])
})

test('a user who may not run scripts', async () => {
  await admin.call('ACL', 'SETUSER', user, '-eval')
  expect(await found(check, at('right-password'), 'redis.rights')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('eval'),
    next: expect.stringContaining('ACL SETUSER'),
  })
})

test('the advised rights are enough', async () => {
  await admin.call('ACL', 'SETUSER', user, '-@all')
  const { next = '' } = (await problems(check, at('right-password')))[0] ?? {}
  const [, rights = ''] = /ACL SETUSER \.\.\. (.*)\.$/.exec(next) ?? []
  await admin.call('ACL', 'SETUSER', user, 'reset', 'on', '>right-password', ...rights.split(' '))
  expect(await problems(check, at('right-password'))).toEqual([])
  await using client = openRedis({ url: at('right-password').PARLEY_REDIS_URL, name: 'test' })
  await new Promise<void>((resolve) => client.once('ready', () => resolve()))
  await rateLimiter({ redis: client, key: 'test', points: 2, durationSeconds: 60 }).consume('alice')
  expect(await admin.keys('limit:*')).toHaveLength(1)
  await expect(client.flushdb()).rejects.toThrow('NOPERM')
})

test('a server that is away', async () => {
  await redis.stop()
  expect(await problems(check, at('right-password'))).toEqual([
    expect.objectContaining({ check: 'redis.reach', result: 'fail', next: expect.stringContaining('Start Redis') }),
  ])
  await redis.start()
})
