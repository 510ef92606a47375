import { AccountsInternalService, MessagingInternalService } from '@parley/contracts/internal'
import type { Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost, type StartOptions } from '@parley/service'
import { erasePerson } from './actions/erasure/erase-person.ts'
import type { Config } from './config.ts'
import { startConsumers } from './consumers/index.ts'
import { divideMemory } from './engines/memory.ts'
import { openEncoder, startVideos } from './engines/video/index.ts'
import { handleRequests, routeOf } from './http/routes.ts'
import { startJobs } from './jobs/index.ts'
import { openContext, type TestOverrides } from './open-context.ts'
import { routes } from './rpc/index.ts'

export type Overrides = TestOverrides &
  StartOptions & {
    /** Interval of most jobs that delete unused data; the intervals of the others are derived from it. */
    sweepEveryMs?: number
  }

export function startUploads(config: Config, overrides: Overrides = {}): Promise<Service> {
  const waitsFor = ['storage', 'policy']
  return startDatabaseHost({ name: 'uploads', config, waitsFor, overrides }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { signal } = host
  const { sweepEveryMs = 300_000 } = overrides
  const encodesRemotely = config.videoWorkerUrls.length > 0
  const memory = divideMemory(config, { images: true, videos: config.videoEnabled && !encodesRemotely })
  const encoder = await openEncoder(config, memory.toolBytes, signal)
  const ctx = await openContext(host, { config, overrides, memory, processesVideos: encoder !== undefined })
  await startConsumers(host, ctx)
  host.handOver(host.client(MessagingInternalService))
  await host.erase(erasePerson(ctx), host.client(AccountsInternalService))
  startJobs(host, ctx, sweepEveryMs)
  const atOnce = encodesRemotely ? (config.videosAtOnce ?? 2) : memory.videosAtOnce
  host.use(await startVideos(ctx, { encoder, settings: config, atOnce, sweepEveryMs, signal }))
  await host.serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx), routeOf })
  await host.serve({ routes: routes(ctx) })
}
