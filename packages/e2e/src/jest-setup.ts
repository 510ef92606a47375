import { chmodSync, existsSync, rmSync } from 'node:fs'
import { type Fleet, startFleet } from '@parley/local'
import { installFfmpeg } from '@parley/testkit'
import { removeAbandonedDataDirs, temporaryDataDir } from './abandoned.ts'
import { dataDirVariable, ownerCredentials, readyFileOf, share } from './fleet.ts'
import { providerSettings } from './identity-provider.ts'
import { mediaServerSettings } from './media-server.ts'
import { listedUri } from './other-clients.ts'

let started: { fleet: Fleet; dataDir: string } | undefined

/** Settings that speed up tests: the same steps as in production, with shorter times. */
const timeout = {
  PARLEY_REALTIME_HANDSHAKE_TIMEOUT: '8s',
  PARLEY_REALTIME_HEARTBEAT_INTERVAL: '1s',
  PARLEY_ACCOUNTS_ERASURE_PASS_AFTER: '1s',
  PARLEY_GENERAL_LOG_LEVEL: 'info',
}

const layout = process.env.PARLEY_LAYOUT === 'compact' ? 'compact' : 'separate'

/**
 * Starts the fleet that all suites of this run share, in the layout that `PARLEY_LAYOUT` names. With `PARLEY_E2E_DATA_DIR` set, the fleet that runs there is
 * tested instead.
 */
export async function setup(): Promise<void> {
  const given = process.env[dataDirVariable]
  if (given !== undefined) return share(given)
  await removeAbandonedDataDirs()
  await installFfmpeg()
  const dataDir = temporaryDataDir()
  // PostgreSQL may run as another user, who must be able to reach its folder inside this one.
  chmodSync(dataDir, 0o755)
  const says: string[] = []
  try {
    const fleet = await startFleet({
      ...{ dataDir, layout, port: 0, replicas: 2, fsync: false },
      owner: ownerCredentials,
      readyFile: readyFileOf(dataDir),
      videos: true,
      env: {
        ...withoutSettings(process.env),
        ...timeout,
        ...(await providerSettings()),
        ...(await mediaServerSettings()),
        PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
        PARLEY_WEBSERVER_OAUTH_REDIRECT_ORIGINS: new URL(listedUri).origin,
      },
      say: (line) => says.push(line),
    })
    started = { fleet, dataDir }
    share(dataDir)
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true })
    says.push(error instanceof Error ? error.message : String(error))
    throw new Error(`the fleet does not start; it said:\n${says.join('\n')}`)
  }
}

/** Stops what {@link setup} started and removes its files; they stay when `PARLEY_E2E_KEEP` is set. */
export async function teardown(): Promise<void> {
  if (started === undefined) return
  const { fleet, dataDir } = started
  await fleet.stop()
  if (process.env.PARLEY_E2E_KEEP) console.log(`kept ${dataDir}`)
  else if (existsSync(dataDir)) rmSync(dataDir, { recursive: true, force: true })
}

/** Settings from the environment of the tests must not reach the fleet under test. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PARLEY|OTEL)_/.test(name)))
}
