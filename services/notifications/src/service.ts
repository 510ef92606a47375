import { AccountsInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import { startMaintenance } from './jobs/maintenance.ts'
import { runNotificationJobs } from './jobs/run-jobs.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'
import { createShards } from './store/shards.ts'

export type Overrides = TestOverrides &
  StartOptions & {
    jobsEveryMs?: number
  }

export function startNotifications(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: 'notifications', config, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, events: bus, signal } = host
  const { jobsEveryMs: everyMs = 10_000 } = overrides
  const ctx = await openContext(host, config, overrides)
  await host.retry(() => createShards(db))
  host.use(await startConsumers(ctx, { bus, db, service: host.name }))
  host.use(runNotificationJobs(ctx, { everyMs, signal }))
  host.use(startMaintenance(ctx))
  await host.erase(erasePerson(ctx), host.client(AccountsInternalService))
  await host.serve({ routes: routes(ctx) })
}
