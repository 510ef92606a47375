import { expect, test } from '@jest/globals'
import { Redis } from 'ioredis'
import { connect } from 'nats'
import { eventually, testNats, testRedis } from '@parley/testkit'

test('each Redis is separate: a key of one does not exist in another', async () => {
  await using one = await testRedis()
  await using other = await testRedis()
  const clients = [one, other].map(({ url }) => new Redis(url))
  await clients[0]?.set('key', 'of one')
  expect(await clients[1]?.get('key')).toBeNull()
  for (const client of clients) client.disconnect()
})

test('a stopped Redis refuses connections, and has its data after it is started again', async () => {
  await using redis = await testRedis()
  const client = new Redis(redis.url, { retryStrategy: () => 20, maxRetriesPerRequest: 0 })
  client.on('error', () => undefined)
  await client.set('key', 'value')
  await redis.stop()
  await expect(client.get('key')).rejects.toThrow()
  await redis.start()
  await eventually(async () => expect(await client.get('key')).toBe('value'))
  client.disconnect()
})

test('NATS keeps its address and streams when it is stopped and started', async () => {
  await using nats = await testNats()
  const before = await connect({ servers: nats.url, reconnect: false })
  const jsm = await before.jetstreamManager()
  await jsm.streams.add({ name: 'KEPT', subjects: ['kept.>'] })
  await before.jetstream().publish('kept.one')
  const closed = before.closed()
  await nats.stop()
  await closed
  await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow()
  await nats.start()
  const after = await connect({ servers: nats.url })
  const info = await (await after.jetstreamManager()).streams.info('KEPT')
  expect(info.state.messages).toBe(1)
  await after.close()
})

test('each call of testNats starts a separate server', async () => {
  await using one = await testNats()
  await using other = await testNats()
  expect(one.url).not.toBe(other.url)
})

test('eventually waits until a check neither throws nor returns false', async () => {
  let calls = 0
  expect(
    await eventually(() => {
      if (++calls === 1) throw new Error('not yet')
      return calls > 2 && calls
    }),
  ).toBe(3)
})

test('eventually throws the last failure after the timeout', async () => {
  await expect(eventually(() => Promise.reject(new Error('never')), { timeoutMs: 50 })).rejects.toThrow('never')
})
