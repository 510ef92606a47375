import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataDirAt, type FleetProcess, isProcessOf, type ReadyState } from '@parley/local'

/**
 * The fleet under test. Two of its processes serve as gateway, and two are realtime nodes. The fleet of `jest-setup.ts`
 * has two processes of each service or, in the compact layout, two of `realtime` and two of `compact`.
 */
export type TestedFleet = {
  dataDir: string
  state(): ReadyState
  gateways: readonly [string, string]
  realtimeNodes: readonly [string, string]
  processes: readonly string[]
}

export const ownerCredentials = { login: 'olivia', password: 'the owner of a tested fleet' }

export const dataDirVariable = 'PARLEY_E2E_DATA_DIR'
const addressesVariable = 'PARLEY_E2E_ADDRESSES'

export const readyFileOf = (dataDir: string): string => join(dataDir, 'ready.json')

type FleetAddresses = Pick<TestedFleet, 'gateways' | 'realtimeNodes' | 'processes'>

/** Whether the fleet has the compact layout, in which deployables of one process call each other without the bus. */
export const isCompact = (): boolean => fleet().processes.includes('compact')

/**
 * Suffix for the title of a test that freezes a deployable: in the compact layout it is skipped, because the gateway
 * would freeze too.
 */
export const reasonNotToFreeze = (): string | undefined =>
  isCompact() ? ' (skipped: freezing the process would freeze the gateway too)' : undefined

/** The fleet in this folder becomes the fleet under test. Its URLs are read once: restarted processes keep them. */
export function shareFleet(dataDir: string): void {
  const { services } = stateOf(dataDir)
  const addresses: FleetAddresses = {
    gateways: urlsOf(services, 'gateway'),
    realtimeNodes: urlsOf(services, 'realtime'),
    processes: services.map(({ name }) => name).sort(),
  }
  process.env[dataDirVariable] = dataDir
  process.env[addressesVariable] = JSON.stringify(addresses)
}

/** The last fleet for which {@link shareFleet} was called. */
export function fleet(): TestedFleet {
  const dataDir = process.env[dataDirVariable]
  const addresses = process.env[addressesVariable]
  if (dataDir === undefined || addresses === undefined)
    throw new Error('there is no fleet: run the tests with the global setup, which starts one')
  const known = JSON.parse(addresses) as FleetAddresses
  return { dataDir, state: () => stateOf(dataDir), ...known }
}

const stateOf = (dataDir: string) => JSON.parse(readFileSync(readyFileOf(dataDir), 'utf8')) as ReadyState

function urlsOf(services: FleetProcess[], name: string): [string, string] {
  const [one, other] = services.filter((service) => isProcessOf(name, service)).map(({ url }) => url)
  if (one === undefined || other === undefined) throw new Error(`the fleet has no two processes of ${name}`)
  return [one, other]
}

/** Removes settings of Parley and telemetry: those of the test process must not reach a tested fleet. */
export const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PARLEY|OTEL)_/.test(name)))

export function serverPid(name: 'postgres' | 'nats' | 'redis'): number {
  const { pid } = JSON.parse(readFileSync(join(dataDirAt(fleet().dataDir).run, `${name}.pid`), 'utf8')) as {
    pid: number
  }
  return pid
}
