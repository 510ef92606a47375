import { resolve } from 'node:path'
import { identify, isAlive, type ProcessIdentity } from '../infrastructure/index.ts'
import { type DataDir } from './data-dir.ts'
import { readJson, writeAtomically } from './files.ts'

export type FleetEnvironment = {
  url: string
  env: NodeJS.ProcessEnv
}

/** Identifies the supervisor too, because a killed supervisor leaves the file behind. */
type Stored = FleetEnvironment & { supervisor?: ProcessIdentity }

/** Only the fleet's user can read the file. */
export function storeEnvironment({ environmentFile }: DataDir, { url, env }: FleetEnvironment): void {
  // Only the supervisor needs the owner's password.
  const { PARLEY_OWNER_PASSWORD: _, PARLEY_CONFIG_FILE: file, ...read } = filterVariables(env, isReadByParley)
  const config = file ? { PARLEY_CONFIG_FILE: resolve(file) } : {}
  const stored = { supervisor: identify(process.pid), url, env: { ...read, ...config } }
  writeAtomically(environmentFile, JSON.stringify(stored) + '\n')
}

/**
 * Returns the URL of the fleet that runs on the data folder, and an environment for a command: the variables that
 * Parley reads are those of that fleet, all others are those of `own`. Undefined while no fleet runs.
 */
export function readFleetEnvironment(
  { environmentFile }: DataDir,
  own: NodeJS.ProcessEnv,
): FleetEnvironment | undefined {
  const { supervisor, url, env } = (readJson(environmentFile) ?? {}) as Partial<Stored>
  if (supervisor === undefined || url === undefined || !isAlive(supervisor)) return undefined
  return { url, env: { ...filterVariables(own, (name) => !isReadByParley(name)), ...env } }
}

const isReadByParley = (name: string): boolean => /^(PARLEY_|OTEL_|NODE_EXTRA_CA_CERTS$)/.test(name)

const filterVariables = (env: NodeJS.ProcessEnv, isKept: (name: string) => boolean): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)))
