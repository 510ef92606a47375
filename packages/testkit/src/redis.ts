import { Redis } from 'ioredis'
import { testInfrastructure } from './infrastructure.ts'
import { lockOneOf } from './locks.ts'
import { type StoppableServer, outageProxy } from '@parley/tooling/outage-proxy'

const highestDatabase = 15

/** A separate, empty Redis database: one of the numbered databases of the run's server. */
export async function testRedis(): Promise<StoppableServer> {
  const { redisUrl } = await testInfrastructure()
  const slot = await lockOneOf('parley-test-redis', highestDatabase)
  const url = new URL(redisUrl)
  url.pathname = `/${slot.index + 1}`
  const client = new Redis(url.href)
  await client.flushdb()
  client.disconnect()
  const proxy = await outageProxy(url.href, 6379)
  return {
    ...proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await slot[Symbol.asyncDispose]()
    },
  }
}
