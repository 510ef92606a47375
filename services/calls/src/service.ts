import { AccountsInternalService, MessagingInternalService, RoomsInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type Starting } from '@parley/service'
import { endCalls } from './actions/calls/end-calls.ts'
import { Profiles } from './clients/profiles.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import type { Context } from './context.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { handleRequests, routeOf } from './http/routes.ts'
import { compareCalls } from './jobs/compare-calls.ts'
import { forgetCalls } from './jobs/forget-calls.ts'
import { doMediaChores, MediaServer } from './engines/livekit/index.ts'
import { routes } from './rpc/index.ts'

export type Overrides = Starting & {
  now?: () => Date
  /** How often calls are compared with the media server. */
  compareEveryMs?: number
}

/** Starts the deployable. */
export function startCalls(config: Config, overrides: Overrides = {}): Promise<Service> {
  return startDatabaseHost({ name: 'calls', config, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, signal } = host
  const accounts = host.client(AccountsInternalService)
  const now = overrides.now ?? (() => new Date())
  const media = config.livekit && { settings: config.livekit, server: new MediaServer(config.livekit) }
  host.handOver(host.client(MessagingInternalService))
  if (media) host.use(doMediaChores(db, media, { everyMs: 10_000, signal }))
  const ctx: Context = {
    ...{ db, media, now },
    rooms: new RoomAccess(host.client(RoomsInternalService), db),
    profiles: new Profiles(accounts),
  }
  await startConsumers(host, ctx)
  await host.erase(erasePerson(ctx), accounts)
  const everyMs = overrides.compareEveryMs ?? 30_000
  if (media) host.use(compareCalls(ctx, media, { everyMs, signal }))
  // Calls from before calls were switched off are ended.
  else host.every({ name: 'end calls', everyMs, run: (stop) => endCalls(ctx, stop) })
  host.use(forgetCalls(ctx, { everyMs: 600_000, signal }))
  host.forgetAnswers()
  await host.serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx), routeOf })
  await host.serve({ routes: routes(ctx) })
}
