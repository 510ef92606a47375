import { availableParallelism } from 'node:os'
import {
  AdminInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  RoomsInternalService,
  UploadsInternalService,
} from '@parley/contracts/internal'
import { startErasures } from '@parley/events'
import { openRedis, rateLimiter, type RedisClient } from '@parley/redis'
import { openReads, type Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import { serverNames } from './clients/server-name.ts'
import type { Config } from './config.ts'
import { onPolicyChanged } from './consumers/deleted-roles.ts'
import type { Context } from './context.ts'
import { eraseOwn } from './actions/deletion/erase-own.ts'
import { noteErased } from './actions/deletion/note-erased.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { mailBudget, createMailer, openTransport } from './engines/mail/index.ts'
import { tooManyReads } from './errors.ts'
import { backgroundTaskFailed } from './metrics.ts'
import { createPasswords } from './engines/passwords/index.ts'
import { announcePresence, Audiences, Presence } from './engines/presence/index.ts'
import { createProviders } from './clients/providers/providers.ts'
import { routes } from './rpc/index.ts'

export type Overrides = {
  now?: () => Date
  /** How long a report of presence holds. */
  presenceLeaseMs?: number
  /** With more people there than so many, not everybody hears who comes and goes. */
  presenceCrowd?: number
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Starts the deployable. */
export function startAccounts(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  const waitsFor = ['policy']
  return startDatabaseHost({ name: 'accounts', config, waitsFor, stop }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, signal, events: bus, name: service } = host
  const admin = host.client(AdminInternalService)
  const redis = host.use(openRedis({ url: config.redisUrl, name: service }))
  const now = overrides.now ?? (() => new Date())
  const announce = announcePresence(host.calls, new Audiences(host.client(RoomsInternalService)))
  const { presenceLeaseMs: leaseMs, presenceCrowd: crowd } = overrides
  const presence = new Presence({ redis, announce, leaseMs, crowd })
  const ctx: Context = {
    ...{ config, db, admin, presence, now },
    reads: openReads({ connections: config.databasePool, refusal: tooManyReads }),
    policy: await host.policy(admin),
    relay: await host.relay(),
    mailer: openMailer(host, config, redis),
    background: (work) => host.background(work.catch(backgroundTaskFailed)),
    passwordGuesses: rateLimiter({ redis, key: 'current-password', points: 10, durationSeconds: 15 * 60 }),
    passwords: await createPasswords(config.hashingsAtOnce || availableParallelism()),
    messaging: host.client(MessagingInternalService),
    notifications: host.client(NotificationsInternalService),
    uploads: host.client(UploadsInternalService),
    providers: createProviders(config.providers, config.publicUrl, now),
  }
  const prepare = onPolicyChanged(ctx)
  await host.consume({ durable: 'deleted-roles', subject: 'evt.control.policy.>', prepare })
  host.use(startJobs(ctx, presence, signal))
  const erase = eraseOwn({ db, bus })
  host.use(await startErasures({ bus, db, service, erase, report: (found) => noteErased(ctx, { ...found, service }) }))
  // Whoever is erased has lost every credential before.
  await host.serve({ routes: routes(ctx), guard: () => undefined })
}

function openMailer(host: DatabaseHost, config: Config, redis: RedisClient): Context['mailer'] {
  const transport = openTransport(config)
  if (transport === undefined) return undefined
  const budget = mailBudget(redis, config.mailsPerHour)
  const serverName = serverNames(host.client(AdminInternalService))
  return createMailer(host.use(transport), { serverName, budget, signal: host.signal })
}
