import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import { startJobs } from './jobs/index.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides &
  StartOptions & {
    checkPausePerStepMs?: number
  }

export function startRooms(config: Config, overrides: Overrides = {}): Promise<Service> {
  const waitsFor = ['policy', 'first rooms']
  return startDatabaseHost({ name: 'rooms', config, waitsFor, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const ctx = await openContext(host, config, overrides)
  await startConsumers(host, ctx)
  await host.erase(erasePerson(ctx), ctx.accounts)
  startJobs(host, ctx, overrides)
  await host.serve({ routes: routes(ctx) })
}
