import { createClient } from '@connectrpc/connect'
import { AccountsInternalService, RoomsInternalService, UploadsInternalService } from '@parley/contracts/internal'
import { followPolicy, keepStream, recoveriesIn, refuseErased, startErasures, startRelay } from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, Resources, retry, serveInternal, type Service } from '@parley/runtime'
import type { Config } from './config.ts'
import { recordEvents } from './consumers/audit-log.ts'
import { followDeletedGroups } from './consumers/deleted-groups.ts'
import type { Context } from './context.ts'
import { keepAuditBuckets, makeAuditBucketsAhead } from './jobs/keep-audit-buckets.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { releaseNamesOfNoRole } from './jobs/release-role-names.ts'
import { serverSeeded } from './metrics.ts'
import { routes } from './rpc/index.ts'
import { getPolicy } from './store/policy.ts'
import { seed } from './store/seed.ts'
import { toPolicy } from './view/policy.ts'

export type Overrides = {
  now?: () => Date
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startAdmin(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const signal = overrides.stop ?? new AbortController().signal
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const { db, pool, ping } = opened.use(
    await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'admin' }),
  )
  await retry(ping, { signal, initialMs: 200, maxMs: 5000 })
  if (await retry(() => seed(db), { signal, initialMs: 200, maxMs: 5000 })) serverSeeded()
  databaseAnswers()

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'admin', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const transport = opened.use(createRpcClient(calls, { name: 'admin' })).transport()

  opened.use(
    await keepStream(events, {
      ...(config.streamReplicas && { replicas: config.streamReplicas }),
      maxBytes: config.streamMaxBytes,
      recoveries: recoveriesIn(db),
    }),
  )
  const relay = opened.use(await startRelay({ pool, bus: events, service: 'admin' }))
  const load = async () => toPolicy(await getPolicy(db))
  const policy = opened.use(await followPolicy({ bus: events, load, signal }))
  const ctx: Context = {
    config,
    db,
    accounts: createClient(AccountsInternalService, transport),
    rooms: createClient(RoomsInternalService, transport),
    uploads: createClient(UploadsInternalService, transport),
    bus: events,
    policy,
    relay,
    now: overrides.now ?? (() => new Date()),
  }
  await makeAuditBucketsAhead(ctx)
  opened.use(keepAuditBuckets(ctx, signal))
  opened.use(await recordEvents(ctx))
  opened.use(await followDeletedGroups(ctx))
  opened.use(releaseNamesOfNoRole(ctx, signal))
  opened.use(
    await startErasures({
      ...{ bus: events, db, service: 'admin', erase: erasePerson(ctx) },
      report: (report, stop) => ctx.accounts.reportErased({ ...report, service: 'admin' }, { signal: stop }),
    }),
  )
  const serving = { health, drainTimeoutMs: config.drainTimeoutMs, guard: refuseErased(db) }
  opened.use(await serveRpc(calls, { deployable: 'admin', routes: routes(ctx), ...serving }))
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), { internalPort: internal.port, drainTimeoutMs: config.drainTimeoutMs })
}
