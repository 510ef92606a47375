import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt, startFleet } from '@parley/local'
import { freePort } from '@parley/local/infrastructure'
import { Resources } from '@parley/runtime'
import { OtlpReceiver, PushService } from '@parley/testkit'
import { FakeLivekit } from '@parley/testkit/livekit'
import { temporaryDataDir } from './abandoned.ts'
import { withoutSettings } from './fleet.ts'

const shortExportIntervals = {
  OTEL_BSP_SCHEDULE_DELAY: '100',
  OTEL_BLRP_SCHEDULE_DELAY: '100',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
}

/** The processes export telemetry to a receiver, and use a fake push service and media server. */
export async function startTracedFleet(owner: { login: string; password: string }) {
  const dataDir = temporaryDataDir()
  const resources = new Resources()
  resources.defer('files', () => rmSync(dataDir, { recursive: true, force: true }))
  const collector = resources.use(await OtlpReceiver.start())
  const pushService = resources.use(await PushService.start())
  const mediaPort = await freePort()
  const mediaServer = resources.use(await FakeLivekit.start(mediaPort))
  const fleet = await startFleet({
    ...{ dataDir, port: 0, owner, fsync: false },
    env: {
      ...withoutSettings(process.env),
      ...{ ...collector.env, ...shortExportIntervals },
      PARLEY_JOIN_CLIENT_TRACES: 'true',
      PARLEY_GENERAL_LOG_LEVEL: 'debug',
      PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
      PARLEY_LIVEKIT_ENABLED: 'true',
      PARLEY_LIVEKIT_URL: mediaServer.url,
      PARLEY_LIVEKIT_API_KEY: mediaServer.apiKey,
      PARLEY_LIVEKIT_API_SECRET: mediaServer.apiSecret,
    },
  })
  resources.defer('fleet', () => fleet.stop())
  return {
    ...{ fleet, collector, pushService },
    /** Before they end, the processes export their remaining telemetry. The log files remain. */
    stop: () => fleet.stop(),
    logText() {
      const { logs } = dataDirAt(dataDir)
      return readdirSync(logs)
        .map((file) => readFileSync(join(logs, file), 'utf8'))
        .join('\n')
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  }
}

export type TracedFleet = Awaited<ReturnType<typeof startTracedFleet>>
