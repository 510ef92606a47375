import { AccountsInternalService, RoomsInternalService, UploadsInternalService } from '@parley/contracts/internal'
import { followPolicy, keepStream, recoveriesIn } from '@parley/events'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type Starting } from '@parley/service'
import type { Config } from './config.ts'
import { recordEvents } from './consumers/audit-log.ts'
import { clearDecisionsOfDeletedGroups } from './consumers/deleted-groups.ts'
import type { Context } from './context.ts'
import { keepAuditBuckets, makeAuditBucketsAhead } from './jobs/keep-audit-buckets.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { releaseUnusedRoleNames } from './jobs/release-role-names.ts'
import { republishLostPolicy } from './jobs/republish-lost-policy.ts'
import { logServerSeeded } from './metrics.ts'
import { routes } from './rpc/index.ts'
import { getPolicy } from './store/policy.ts'
import { seed } from './store/seed.ts'
import { toPolicy } from './view/policy.ts'

export type Overrides = Starting & {
  now?: () => Date
}

/** Starts the deployable. */
export function startAdmin(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: 'admin', config, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, signal, events: bus } = host
  if (await host.retry(() => seed(db))) logServerSeeded()
  host.use(
    await keepStream(bus, {
      ...(config.streamReplicas && { replicas: config.streamReplicas }),
      maxBytes: config.streamMaxBytes,
      recoveries: recoveriesIn(db),
    }),
  )
  const ctx: Context = {
    ...{ config, db, bus },
    relay: await host.relay(),
    policy: host.use(await followPolicy({ bus, signal, load: async () => toPolicy(await getPolicy(db)) })),
    accounts: host.client(AccountsInternalService),
    rooms: host.client(RoomsInternalService),
    uploads: host.client(UploadsInternalService),
    now: overrides.now ?? (() => new Date()),
  }
  await makeAuditBucketsAhead(ctx)
  host.use(keepAuditBuckets(ctx, signal))
  host.use(await recordEvents(ctx))
  host.use(await clearDecisionsOfDeletedGroups(ctx))
  host.use(releaseUnusedRoleNames(ctx, signal))
  host.use(republishLostPolicy(ctx, signal))
  await host.erase(erasePerson(ctx), ctx.accounts)
  await host.serve({ routes: routes(ctx) })
}
