import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt, type FleetProcess, isOf, type ReadyState } from '@parley/local'

/** The fleet every suite talks to: two processes of each service, or in the compact layout two of each kind. */
export type TestedFleet = {
  dataDir: string
  /** The current content of its ready file. */
  state(): ReadyState
  /** Both gateways. */
  gateways: readonly [string, string]
  /** Both realtime nodes, as http URLs. */
  realtimeNodes: readonly [string, string]
  /** The processes of services, by name: each of the nine twice, or `realtime` and `compact`. */
  processes: readonly string[]
}

/** Login and password of the first owner of a tested fleet. */
export const ownerCredentials = { login: 'olivia', password: 'the owner of a tested fleet' }

/** Environment variable that names the data folder of the fleet to test. */
export const dataDirVariable = 'PARLEY_E2E_DATA_DIR'
const addressesVariable = 'PARLEY_E2E_ADDRESSES'

/** Path of the ready file for a fleet on a data folder. */
export const readyFileOf = (dataDir: string): string => join(dataDir, 'ready.json')

type Known = Pick<TestedFleet, 'gateways' | 'realtimeNodes' | 'processes'>

/** Whether requests are answered by one process, in which deployables call each other without the bus. */
export const isCompact = (): boolean => fleet().processes.includes('compact')

/**
 * The reason, for the title of a skipped test, where freezing a deployable would freeze the gateway too; undefined where
 * it would not.
 */
export const frozenWithGateway = (): string | undefined =>
  isCompact() ? ' (skipped: in one process the gateway is frozen with it)' : undefined

/** Stores the addresses of a fleet for all suites: processes are replaced, but their addresses stay the same. */
export function share(dataDir: string): void {
  const { services } = stateOf(dataDir)
  const addresses: Known = {
    gateways: urlsOf(services, 'gateway'),
    realtimeNodes: urlsOf(services, 'realtime'),
    processes: services.map(({ name }) => name).sort(),
  }
  process.env[dataDirVariable] = dataDir
  process.env[addressesVariable] = JSON.stringify(addresses)
}

/** The fleet this run shares. */
export function fleet(): TestedFleet {
  const dataDir = process.env[dataDirVariable]
  const addresses = process.env[addressesVariable]
  if (dataDir === undefined || addresses === undefined)
    throw new Error('there is no fleet: run the tests with the global setup, which starts one')
  const known = JSON.parse(addresses) as Known
  return { dataDir, state: () => stateOf(dataDir), ...known }
}

const stateOf = (dataDir: string) => JSON.parse(readFileSync(readyFileOf(dataDir), 'utf8')) as ReadyState

function urlsOf(services: FleetProcess[], name: string): [string, string] {
  const [one, other] = services.filter((service) => isOf(name, service)).map(({ url }) => url)
  if (one === undefined || other === undefined) throw new Error(`the fleet has no two processes of ${name}`)
  return [one, other]
}

/** Process ids of PostgreSQL, NATS and Redis change when they are started again, so they are read when needed. */
export function serverPid(name: 'postgres' | 'nats' | 'redis'): number {
  const { pid } = JSON.parse(readFileSync(join(dataDirAt(fleet().dataDir).run, `${name}.pid`), 'utf8')) as {
    pid: number
  }
  return pid
}
