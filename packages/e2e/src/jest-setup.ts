import { existsSync, rmSync } from 'node:fs'
import { type Fleet, startFleet } from '@parley/local'
import { installFfmpeg } from '@parley/testkit'
import { removeAbandonedDataDirs, temporaryDataDir } from './abandoned.ts'
import { dataDirVariable, ownerCredentials, readyFileOf, shareFleet, withoutSettings } from './fleet.ts'
import { providerSettings } from './identity-provider.ts'
import { mediaServerSettings } from './media-server.ts'
import { listedUri } from './other-clients.ts'

let started: { fleet: Fleet; dataDir: string } | undefined

/** Tests wait less with shorter timeouts. */
const testSettings = {
  PARLEY_REALTIME_HANDSHAKE_TIMEOUT: '8s',
  PARLEY_REALTIME_HEARTBEAT_INTERVAL: '1s',
  PARLEY_ACCOUNTS_ERASURE_PASS_AFTER: '1s',
  PARLEY_GENERAL_LOG_LEVEL: 'info',
}

const layout = process.env.PARLEY_LAYOUT === 'compact' ? 'compact' : 'separate'

export async function setup(): Promise<void> {
  const existing = process.env[dataDirVariable]
  if (existing !== undefined) return shareFleet(existing)
  await removeAbandonedDataDirs()
  await installFfmpeg()
  const dataDir = temporaryDataDir()
  const output: string[] = []
  try {
    const fleet = await startFleet({
      ...{ dataDir, layout, port: 0, replicas: 2, fsync: false },
      owner: ownerCredentials,
      readyFile: readyFileOf(dataDir),
      videos: true,
      env: {
        ...withoutSettings(process.env),
        ...testSettings,
        ...(await providerSettings()),
        ...(await mediaServerSettings()),
        PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
        PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS: new URL(listedUri).origin,
      },
      say: (line) => output.push(line),
    })
    started = { fleet, dataDir }
    shareFleet(dataDir)
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true })
    output.push(error instanceof Error ? error.message : String(error))
    throw new Error(`the fleet does not start; its output:\n${output.join('\n')}`)
  }
}

export async function teardown(): Promise<void> {
  if (started === undefined) return
  const { fleet, dataDir } = started
  await fleet.stop()
  if (process.env.PARLEY_E2E_KEEP) console.log(`kept ${dataDir}`)
  else if (existsSync(dataDir)) rmSync(dataDir, { recursive: true, force: true })
}
