import { availableParallelism } from 'node:os'
import {
  AdminInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  RoomsInternalService,
  UploadsInternalService,
} from '@parley/contracts/internal'
import { openRedis, rateLimiter, type RedisClient } from '@parley/redis'
import { createReadSemaphore } from '@parley/runtime'
import type { DatabaseHost } from '@parley/service'
import { createProviders } from './clients/providers/providers.ts'
import { createServerNameReader } from './clients/server-name.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import { mailBudget, createMailer, openTransport } from './engines/mail/index.ts'
import { createPasswords } from './engines/passwords/index.ts'
import { presenceAnnouncer, Audiences, Presence } from './engines/presence/index.ts'
import { tooManyReads } from './errors.ts'
import { logBackgroundFailure } from './metrics.ts'

export type TestOverrides = {
  now?: () => Date
  presenceLeaseMs?: number
  presenceCrowdSize?: number
}

export async function openContext(host: DatabaseHost, config: Config, overrides: TestOverrides): Promise<Context> {
  const admin = host.client(AdminInternalService)
  const redis = host.use(openRedis({ url: config.redisUrl, name: host.name }))
  const now = overrides.now ?? (() => new Date())
  return {
    ...{ config, db: host.db, admin, now },
    presence: openPresence(host, redis, overrides),
    reads: createReadSemaphore({ connections: config.databasePool, refusal: tooManyReads }),
    policy: await host.policy(admin),
    relay: await host.relay(),
    mailer: openMailer(host, config, redis),
    background: (work) => host.background(work.catch(logBackgroundFailure)),
    passwordGuesses: rateLimiter({ redis, key: 'current-password', points: 10, durationSeconds: 15 * 60 }),
    passwords: await createPasswords(config.hashingsAtOnce || availableParallelism()),
    messaging: host.client(MessagingInternalService),
    notifications: host.client(NotificationsInternalService),
    uploads: host.client(UploadsInternalService),
    providers: createProviders(config.providers, config.publicUrl, now),
  }
}

function openPresence(host: DatabaseHost, redis: RedisClient, overrides: TestOverrides): Presence {
  const announce = presenceAnnouncer(host.calls, new Audiences(host.client(RoomsInternalService)))
  const { presenceLeaseMs: leaseMs, presenceCrowdSize: crowdSize } = overrides
  return new Presence({ redis, announce, leaseMs, crowdSize })
}

function openMailer(host: DatabaseHost, config: Config, redis: RedisClient): Context['mailer'] {
  const transport = openTransport(config)
  if (transport === undefined) return undefined
  const budget = mailBudget(redis, config.mailsPerHour)
  const serverName = createServerNameReader(host.client(AdminInternalService))
  return createMailer(host.use(transport), { serverName, budget, signal: host.signal })
}
