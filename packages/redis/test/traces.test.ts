import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { OtlpReceiver, type ReceivedSpan } from '@parley/tooling/otlp-receiver'
import { eagerLimiter, openRedis, rateLimiter, type RedisClient } from '../src/index.ts'

const url = process.env.PARLEY_TEST_REDIS_URL ?? ''

let collector: OtlpReceiver
let redis: RedisClient
beforeEach(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
  redis = openRedis({ url, name: 'test', commandTimeoutMs: 60_000 })
  await eventually(() => expect(redis.status).toBe('ready'))
})
afterEach(async () => {
  await redis[Symbol.asyncDispose]()
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

/** Stops recording and returns the spans inside the span `work`. */
async function readSpansInWork(): Promise<ReceivedSpan[]> {
  await stopTelemetry()
  const work = collector.spans.find(({ name }) => name === 'work')
  return collector.spans.filter(({ parentSpanId }) => parentSpanId === work?.spanId)
}

test('commands are child spans of the span that sends them, without keys and values', async () => {
  const key = `unspeakable:${randomUUID()}`
  const limiter = rateLimiter({ redis, key, points: 3, durationSeconds: 60 })
  await withSpan('work', {}, async () => {
    await redis.set(key, 'salutations')
    await redis.mget([key])
    await limiter.consume('wistful')
    await limiter.check('wistful')
  })
  const sent = await readSpansInWork()
  expect(sent.map(({ name, kind, isFailed }) => [name, kind, isFailed])).toEqual([
    ['SET', 'client', false],
    ['MGET', 'client', false],
    ['EVAL', 'client', false],
    ['MULTI', 'client', false],
  ])
  expect(sent[0]?.attributes).toEqual({
    'db.system.name': 'redis',
    'db.namespace': '0',
    'db.operation.name': 'SET',
  })
  expect(JSON.stringify(collector.batches)).not.toMatch(/unspeakable|salutations|wistful/)
})

test('a failed command has the error code of the server, without the text that quotes values', async () => {
  const key = randomUUID()
  await redis.set(key, 'salutations')
  await withSpan('work', {}, async () => {
    await expect(redis.incr(key)).rejects.toThrow()
    await expect(redis.lpush(key, 'salutations')).rejects.toThrow('WRONGTYPE')
    await expect(redis.call('nonsense', 'salutations')).rejects.toThrow('salutations')
  })
  const sent = await readSpansInWork()
  expect(sent.map(({ attributes, isFailed }) => [attributes['error.type'], isFailed])).toEqual([
    ['ERR', true],
    ['WRONGTYPE', true],
    ['ERR', true],
  ])
  expect(JSON.stringify(collector.batches)).not.toContain('salutations')
})

test('a command that times out is a failed span', async () => {
  await using impatient = openRedis({ url, name: 'test', commandTimeoutMs: 100 })
  await eventually(() => impatient.ping())
  await withSpan('work', {}, () => expect(impatient.blpop(randomUUID(), 0)).rejects.toThrow('timed out'))
  const sent = await readSpansInWork()
  expect(sent.map(({ name, attributes, isFailed }) => [name, attributes['error.type'], isFailed])).toEqual([
    ['BLPOP', 'timeout', true],
  ])
})

test('commands outside a trace, or sent after their request has ended, are not recorded', async () => {
  await redis.ping()
  await withSpan('work', {}, () => void setImmediate(() => void redis.ping()))
  await eventually(() => redis.ping())
  await stopTelemetry()
  expect(collector.spans.map(({ name }) => name)).toEqual(['work'])
})

test('the flush of shared counts is not in the trace of the request that it counts', async () => {
  const key = randomUUID()
  await using limiter = eagerLimiter({ redis, key, points: 5, windowMs: 600_000, flushEveryMs: 1 })
  await withSpan('work', {}, async () => {
    limiter.take('ann')
    await eventually(async () => expect(await redis.keys(`limit:{${key}}*`)).toHaveLength(1))
  })
  expect(new Set((await readSpansInWork()).map(({ name }) => name))).toEqual(new Set(['KEYS']))
})
