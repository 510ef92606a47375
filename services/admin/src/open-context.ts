import { AccountsInternalService, RoomsInternalService, UploadsInternalService } from '@parley/contracts/internal'
import { followPolicy, keepStream, recoveriesIn } from '@parley/events'
import type { DatabaseHost } from '@parley/service'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { logServerSeeded } from './metrics.ts'
import { getPolicy } from './store/policy.ts'
import { seed } from './store/seed.ts'
import { toPolicy } from './view/policy.ts'

export type TestOverrides = { now?: () => Date }

export async function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Promise<Context> {
  const { db, signal, events: bus } = host
  if (await host.retry(() => seed(db))) logServerSeeded()
  host.use(
    await keepStream(bus, {
      ...(config.streamReplicas && { replicas: config.streamReplicas }),
      maxBytes: config.streamMaxBytes,
      recoveries: recoveriesIn(db),
    }),
  )
  return {
    ...{ config, db, bus },
    relay: await host.relay(),
    policy: host.use(await followPolicy({ bus, signal, load: async () => toPolicy(await getPolicy(db)) })),
    accounts: host.client(AccountsInternalService),
    rooms: host.client(RoomsInternalService),
    uploads: host.client(UploadsInternalService),
    now: overrides.now ?? (() => new Date()),
  }
}
