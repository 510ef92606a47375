import { AccountsInternalService, MessagingInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import { handleRequests, routeOf } from './http/routes.ts'
import { startJobs } from './jobs/index.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides &
  StartOptions & {
    compareEveryMs?: number
  }

export function startCalls(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: 'calls', config, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  host.handOver(host.client(MessagingInternalService))
  const ctx = openContext(host, config, overrides)
  await startConsumers(host, ctx)
  await host.erase(erasePerson(ctx), host.client(AccountsInternalService))
  startJobs(host, ctx, overrides.compareEveryMs ?? 30_000)
  await host.serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx), routeOf })
  await host.serve({ routes: routes(ctx) })
}
