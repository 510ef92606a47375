import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import { startJobs } from './jobs/index.ts'
import { makeAuditBucketsAhead } from './jobs/keep-audit-buckets.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides & StartOptions

export function startAdmin(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: 'admin', config, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const ctx = await openContext(host, config, overrides)
  await makeAuditBucketsAhead(ctx)
  await startConsumers(host, ctx)
  startJobs(host, ctx)
  await host.erase(erasePerson(ctx), ctx.accounts)
  await host.serve({ routes: routes(ctx) })
}
