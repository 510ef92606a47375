import { createClient } from '@connectrpc/connect'
import { AccountsInternalService, MessagingInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { refuseErased, startErasures, startRelay } from '@parley/events'
import { NameResolver } from '@parley/outbound'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, periodically, Resources, retry, serveInternal, type Service } from '@parley/runtime'
import { Audiences } from './clients/audiences.ts'
import { askCredential } from './clients/credentials.ts'
import { askPeople } from './clients/people.ts'
import { RoomAccess } from './clients/rooms.ts'
import { applyLevel } from './clients/unread.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import type { Context } from './context.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { keepHouse } from './jobs/keep-house.ts'
import { runJobs } from './jobs/run-jobs.ts'
import { pushNetwork, startPushes, type PushOverrides } from './push/push.ts'
import { routes } from './rpc/index.ts'
import { jobsWritten } from './store/jobs.ts'
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
const tryAgainMs = 500

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startNotifications(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const signal = overrides.stop ?? new AbortController().signal
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(
    await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'notifications' }),
  )
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()

  const bus = {
    url: config.natsUrl,
    user: config.natsUser,
    password: config.natsPassword,
    name: 'notifications',
    signal,
  }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const { db, pool } = database
  const transport = opened.use(createRpcClient(calls, { name: 'notifications' })).transport()
  const accounts = createClient(AccountsInternalService, transport)
  const rooms = createClient(RoomsInternalService, transport)
  const messaging = createClient(MessagingInternalService, transport)
  const relay = opened.use(await startRelay({ pool, bus: events, service: 'notifications' }))
  const names = opened.use(new NameResolver())
  const network =
    overrides.push?.network ??
    pushNetwork({ allowPrivate: config.pushAllowPrivate, privateNetworks: config.privateNetworks, names })
  const neighbours = { accounts, rooms, messaging }
  opened.use(startPushes({ db, settings: config.push, neighbours, ...overrides.push, network }))
  const ctx: Context = {
    db,
    relay,
    rooms: new RoomAccess(rooms),
    audiences: new Audiences(rooms, messaging, accounts),
    applyLevel: applyLevel(messaging),
    askPeople: askPeople(accounts),
    credentialHolds: askCredential(accounts),
    push: { enabled: config.push !== undefined, network },
    now: overrides.now ?? (() => new Date()),
  }
  await retry(() => makeShards(db), { signal, initialMs: 200, maxMs: 5000 })
  opened.use(await startConsumers(ctx, { bus: events, db, service: 'notifications' }))
  const jobs = { name: 'jobs', everyMs: overrides.jobsEveryMs ?? jobsEveryMs, afterFailureMs: tryAgainMs }
  const running = opened.use(periodically({ ...jobs, run: (stop) => runJobs(ctx, stop) }))
  opened.use(jobsWritten.listen(db, () => running.wake()))
  running.wake()
  opened.use(keepHouse(ctx))
  opened.use(
    await startErasures({
      ...{ bus: events, db, service: 'notifications', erase: erasePerson(ctx) },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'notifications' }, { signal: stop }),
    }),
  )

  opened.use(
    await serveRpc(calls, {
      deployable: 'notifications',
      routes: routes(ctx),
      health,
      drainTimeoutMs: config.drainTimeoutMs,
      guard: refuseErased(db),
    }),
  )
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), { internalPort: internal.port, drainTimeoutMs: config.drainTimeoutMs })
}
