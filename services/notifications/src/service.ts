import { AccountsInternalService, MessagingInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { NameResolver } from '@parley/outbound'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import { Audiences } from './clients/audiences.ts'
import { askCredential } from './clients/credentials.ts'
import { askPeople } from './clients/people.ts'
import { RoomAccess } from './clients/rooms.ts'
import { applyLevel } from './clients/unread.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import type { Context } from './context.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { keepHouse } from './jobs/keep-house.ts'
import { runNotificationJobs } from './jobs/run-jobs.ts'
import { pushNetwork, startPushes, type PushOverrides } from './engines/push/index.ts'
import { routes } from './rpc/index.ts'
import { makeShards } from './store/shards.ts'

export type Overrides = {
  now?: () => Date
  /** Gives up starting. */
  stop?: AbortSignal
  push?: PushOverrides
  /** How often is looked for jobs that nobody told of. */
  jobsEveryMs?: number
}

const jobsEveryMs = 10_000

/** Starts the deployable. */
export function startNotifications(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  return startDatabaseHost({ name: 'notifications', config, stop }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, events: bus } = host
  const accounts = host.client(AccountsInternalService)
  const rooms = host.client(RoomsInternalService)
  const messaging = host.client(MessagingInternalService)
  const relay = await host.relay()
  const names = host.use(new NameResolver())
  const { pushAllowPrivate: allowPrivate, privateNetworks } = config
  const network = overrides.push?.network ?? pushNetwork({ allowPrivate, privateNetworks, names })
  const neighbours = { accounts, rooms, messaging }
  host.use(startPushes({ db, settings: config.push, neighbours, ...overrides.push, network }))
  const ctx: Context = {
    ...{ db, relay },
    rooms: new RoomAccess(rooms),
    audiences: new Audiences(rooms, messaging, accounts),
    applyLevel: applyLevel(messaging),
    askPeople: askPeople(accounts),
    credentialHolds: askCredential(accounts),
    push: { enabled: config.push !== undefined, network },
    now: overrides.now ?? (() => new Date()),
  }
  await host.retry(() => makeShards(db))
  host.use(await startConsumers(ctx, { bus, db, service: host.name }))
  const everyMs = overrides.jobsEveryMs ?? jobsEveryMs
  host.use(runNotificationJobs(ctx, { everyMs, signal: host.signal }))
  host.use(keepHouse(ctx))
  await host.erase(erasePerson(ctx), accounts)
  await host.serve({ routes: routes(ctx) })
}
