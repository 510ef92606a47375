import { resolve } from 'node:path'
import { identify, isAlive, type ProcessIdentity } from '../infrastructure/index.ts'
import { type DataDir } from './data-dir.ts'
import { readJson, writeWhole } from './files.ts'

/** What a fleet that runs was given. */
export type Given = {
  /** Address of the first gateway. */
  url: string
  /** The variables that Parley reads. */
  env: NodeJS.ProcessEnv
}

/** The file also names the supervisor: killed, it leaves the file behind. */
type Recorded = Given & { supervisor?: ProcessIdentity }

/** Leaves for commands that check the fleet what it was given; only its user can read it. */
export function recordGiven({ givenFile }: DataDir, { url, env }: Given): void {
  // The owner's password is needed once, by the supervisor.
  const { PARLEY_OWNER_PASSWORD: _, PARLEY_CONFIG_FILE: file, ...read } = readByParley(env, true)
  const config = file ? { PARLEY_CONFIG_FILE: resolve(file) } : {}
  const recorded = { supervisor: identify(process.pid), url, env: { ...read, ...config } }
  writeWhole(givenFile, JSON.stringify(recorded) + '\n', 0o600)
}

/**
 * The environment of a fleet that runs on the data folder: that of this command, with what Parley reads as the fleet
 * was given it. Undefined while none runs.
 */
export function givenTo({ givenFile }: DataDir, own: NodeJS.ProcessEnv): Given | undefined {
  const { supervisor, url, env } = (readJson(givenFile) ?? {}) as Partial<Recorded>
  if (supervisor === undefined || url === undefined || !isAlive(supervisor)) return undefined
  return { url, env: { ...readByParley(own, false), ...env } }
}

/** The variables that Parley reads, or the others. */
const readByParley = (env: NodeJS.ProcessEnv, wanted: boolean): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(PARLEY_|OTEL_|NODE_EXTRA_CA_CERTS$)/.test(name) === wanted),
  )
