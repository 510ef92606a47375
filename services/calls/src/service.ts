import { createClient } from '@connectrpc/connect'
import { AccountsInternalService } from '@parley/contracts/internal'
import { startErasures } from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, Resources, retry, serveHttp, serveInternal, type Service } from '@parley/runtime'
import type { Config } from './config.ts'
import { handleRequest } from './http/handle-request.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startCalls(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const signal = overrides.stop ?? new AbortController().signal
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'calls' }))
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'calls', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const accounts = createClient(
    AccountsInternalService,
    opened.use(createRpcClient(calls, { name: 'calls' })).transport(),
  )
  opened.use(
    await startErasures({
      // Nothing of a person is kept here: the tombstone is all there is to note.
      ...{ bus: events, db: database.db, service: 'calls', erase: async () => 0 },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'calls' }, { signal: stop }),
    }),
  )

  const http = opened.use(await serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequest }))
  opened.use(
    await serveRpc(calls, {
      deployable: 'calls',
      routes: () => undefined,
      health,
      drainTimeoutMs: config.drainTimeoutMs,
    }),
  )
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), {
    internalPort: internal.port,
    drainTimeoutMs: config.drainTimeoutMs,
    url: http.url,
  })
}
