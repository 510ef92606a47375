import { startErasures } from '@parley/events'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { eraseInAccounts } from './actions/deletion/erase-in-accounts.ts'
import { recordErasureReport } from './actions/deletion/record-erasure-report.ts'
import type { Config } from './config.ts'
import { onPolicyChanged } from './consumers/deleted-roles.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides & StartOptions

export function startAccounts(config: Config, overrides: Overrides = {}): Promise<Service> {
  const waitsFor = ['policy']
  return startDatabaseHost({ name: 'accounts', config, waitsFor, overrides }, (host) =>
    compose(host, config, overrides),
  )
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, events: bus, name: service } = host
  const ctx = await openContext(host, config, overrides)
  await host.consume({
    durable: 'deleted-roles',
    subject: 'evt.control.policy.>',
    beforeTransaction: onPolicyChanged(ctx),
  })
  host.use(startJobs(ctx, host.signal))
  const erase = eraseInAccounts({ db, bus })
  host.use(
    await startErasures({
      bus,
      db,
      service,
      erase,
      report: (found) => recordErasureReport(ctx, { ...found, service }),
    }),
  )
  // No guard is needed: deleting an account revokes its credentials, and later passes erase what calls in progress
  // still write.
  await host.serve({ routes: routes(ctx), guard: () => undefined })
}
