import { openDatabase } from '@parley/postgres'
import { connectBus, serveRpc } from '@parley/rpc'
import { Health, Resources, retry, serveHttp, serveInternal, type Service } from '@parley/runtime'
import type { Config } from './config.ts'
import { handleRequest } from './http/handle-request.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startUploads(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const signal = overrides.stop ?? new AbortController().signal
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(
    await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'uploads' }),
  )
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'uploads', signal }
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()

  const http = opened.use(await serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequest }))
  opened.use(
    await serveRpc(calls, {
      deployable: 'uploads',
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
