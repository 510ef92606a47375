import { eventually, testRedis, testService, type ServiceHarness } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startGateway } from '../src/service.ts'

/** A real bus and Redis; a started gateway is ready to serve. */
export const testGateway = <Own extends object>(
  settings: Record<string, string>,
  setUp: (harness: ServiceHarness<NonNullable<Parameters<typeof startGateway>[1]>>) => Promise<Own>,
) =>
  testService(
    {
      ...{ start: startGateway, readConfig },
      settings: {
        PARLEY_WEBSERVER_URL: 'http://chat.example.org',
        PARLEY_WEBSERVER_HOST: '127.0.0.1',
        PARLEY_WEBSERVER_PORT: '0',
        ...settings,
      },
    },
    async (harness) => {
      const redis = harness.use(await testRedis())
      harness.settings['PARLEY_REDIS_URL'] = redis.url
      const { start } = harness
      harness.start = async (own) => {
        const gateway = await start(own)
        await eventually(async () => {
          const { status } = await fetch(`${gateway.url}/readyz`)
          if (status !== 200) throw new Error(`not ready: ${status}`)
        })
        return gateway
      }
      return { redis, ...(await setUp(harness)) }
    },
  )
