import { availableParallelism } from 'node:os'
import { createClient } from '@connectrpc/connect'
import {
  AdminInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  UploadsInternalService,
} from '@parley/contracts/internal'
import { consumeEvents, followPolicy, startErasures, startRelay } from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { openRedis, rateLimiter } from '@parley/redis'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, openReads, Resources, retry, serveInternal, type Service } from '@parley/runtime'
import { Aside } from './aside.ts'
import { serverNames } from './clients/server-name.ts'
import type { Config } from './config.ts'
import { onPolicyChanged } from './consumers/deleted-roles.ts'
import type { Context } from './context.ts'
import { eraseOwn } from './deletion/erase-own.ts'
import { noteErased } from './deletion/note-erased.ts'
import { tooManyReads } from './errors.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { mailBudget } from './mail/mail-budget.ts'
import { createMailer } from './mail/mailer.ts'
import { openTransport } from './mail/open-transport.ts'
import { asideFailed } from './metrics.ts'
import { createPasswords } from './passwords/passwords.ts'
import { announcePresence } from './presence/announce.ts'
import { Presence } from './presence/presence.ts'
import { createProviders } from './providers/providers.ts'
import { routes } from './rpc/index.ts'

export type Overrides = {
  now?: () => Date
  /** How long a report of presence holds. */
  presenceLeaseMs?: number
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startAccounts(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const transport = openTransport(config)
  if (transport) opened.use(transport)
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, ...(overrides.stop ? [overrides.stop] : [])])
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const policyLoaded = health.startup('policy')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(
    await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'accounts' }),
  )
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()
  const { db, pool } = database

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'accounts', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const rpc = opened.use(createRpcClient(calls, { name: 'accounts' }))
  const admin = createClient(AdminInternalService, rpc.transport())

  const policy = opened.use(await followPolicy({ bus: events, signal, load: () => admin.getPolicy({}) }))
  policyLoaded()
  const relay = opened.use(await startRelay({ pool, bus: events, service: 'accounts' }))
  const redis = opened.use(openRedis({ url: config.redisUrl, name: 'accounts' }))
  const presence = new Presence({ redis, announce: announcePresence(calls), leaseMs: overrides.presenceLeaseMs })
  const now = overrides.now ?? (() => new Date())
  const ctx: Context = {
    config,
    db,
    reads: openReads({ connections: config.databasePool, refusal: tooManyReads }),
    relay,
    policy,
    admin,
    mailer:
      transport &&
      createMailer(transport, {
        ...{ serverName: serverNames(admin), signal },
        budget: mailBudget(redis, config.mailsPerHour),
      }),
    aside: opened.use(new Aside(asideFailed)),
    passwordGuesses: rateLimiter({ redis, key: 'current-password', points: 10, durationSeconds: 15 * 60 }),
    passwords: await createPasswords(config.hashingsAtOnce || availableParallelism()),
    messaging: createClient(MessagingInternalService, rpc.transport()),
    notifications: createClient(NotificationsInternalService, rpc.transport()),
    uploads: createClient(UploadsInternalService, rpc.transport()),
    presence,
    providers: createProviders(config.providers, config.publicUrl, now),
    now,
  }
  opened.use(
    await consumeEvents({
      ...{ bus: events, db, service: 'accounts', durable: 'deleted-roles', subject: 'evt.control.policy.>' },
      prepare: onPolicyChanged(ctx),
    }),
  )
  opened.use(startJobs(ctx, presence, signal))
  opened.use(
    await startErasures({
      ...{ bus: events, db, service: 'accounts', erase: eraseOwn({ db, bus: events }) },
      report: (report) => noteErased(ctx, { ...report, service: 'accounts' }),
    }),
  )
  opened.defer('background work', () => closing.abort())
  const { drainTimeoutMs } = config
  opened.use(await serveRpc(calls, { deployable: 'accounts', routes: routes(ctx), health, drainTimeoutMs }))
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), { internalPort: internal.port, drainTimeoutMs })
}
