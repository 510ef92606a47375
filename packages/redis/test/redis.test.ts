import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openRedis, rateLimiter } from '../src/index.ts'

const url = process.env.PARLEY_TEST_REDIS_URL ?? ''
/** A long timeout, because with a late response a limit would count in this process only. */
const open = (at = url) => openRedis({ url: at, name: 'test', commandTimeoutMs: 60_000 })

async function eventually<T>(check: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + 30_000; ; await sleep(20)) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}

/** A port that refuses connections until it is opened, and then forwards them to the Redis of this run. */
async function createClosedPort() {
  const to = new URL(url)
  const server: Server = createServer((from) => {
    const onward = connect(Number(to.port), to.hostname)
    from.on('error', () => onward.destroy()).on('close', () => onward.destroy())
    onward.on('error', () => from.destroy()).on('close', () => from.destroy())
    from.pipe(onward).pipe(from)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  server.close()
  return {
    url: `redis://127.0.0.1:${port}`,
    async open() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    close: () => void server.close(),
  }
}

test('commands fail at once while the server is down, and work once it is up', async () => {
  const server = await createClosedPort()
  await using redis = open(server.url)
  await expect(redis.ping()).rejects.toThrow()
  await server.open()
  expect(await eventually(() => redis.ping())).toBe('PONG')
  server.close()
})

test('a command without a reply times out', async () => {
  await using redis = openRedis({ url, name: 'test', commandTimeoutMs: 100 })
  await eventually(() => redis.ping())
  await expect(redis.blpop(randomUUID(), 0)).rejects.toThrow('Command timed out')
})

test('a reply that arrived while the event loop was blocked is accepted', async () => {
  await using redis = openRedis({ url, name: 'test', commandTimeoutMs: 100 })
  await eventually(() => redis.ping())
  const answer = redis.ping()
  for (const until = Date.now() + 1_000; Date.now() < until;);
  expect(await answer).toBe('PONG')
})

test('a command times out even if the event loop is always late', async () => {
  await using redis = openRedis({ url, name: 'test', commandTimeoutMs: 100 })
  await eventually(() => redis.ping())
  const work = setInterval(() => {
    for (const until = Date.now() + 300; Date.now() < until;);
  }, 1)
  try {
    await expect(redis.blpop(randomUUID(), 0)).rejects.toThrow('Command timed out')
  } finally {
    clearInterval(work)
  }
})

test('a limit is shared by all clients, and counts separately for each id', async () => {
  await using one = open()
  await using two = open()
  await eventually(() => Promise.all([one.ping(), two.ping()]))
  const limit = { key: randomUUID(), points: 3, durationSeconds: 60 }
  const limiters = [rateLimiter({ redis: one, ...limit }), rateLimiter({ redis: two, ...limit })]
  const answers = []
  for (const index of [0, 1, 0, 1]) answers.push(await limiters[index]?.consume('ann'))
  expect(answers.map((answer) => answer?.allowed)).toEqual([true, true, true, false])
  expect(answers[3]?.retryAfterMs).toBeGreaterThan(50_000)
  expect(await limiters[0]?.consume('bob')).toEqual({ allowed: true, retryAfterMs: 0 })
})

test('while the server is down, a limit is counted in this process', async () => {
  const server = await createClosedPort()
  await using redis = open(server.url)
  const limiter = rateLimiter({ redis, key: randomUUID(), points: 2, durationSeconds: 60 })
  const answers = [await limiter.consume('ann'), await limiter.consume('ann'), await limiter.consume('ann')]
  expect(answers.map((answer) => answer.allowed)).toEqual([true, true, false])
})
