import { resolve } from 'node:path'
import { type DataDir } from './data-dir.ts'
import { readJson, writeWhole } from './files.ts'

/** What a fleet that runs was given. */
export type Given = {
  /** Address of the first gateway. */
  url: string
  /** The variables that Parley reads. */
  env: NodeJS.ProcessEnv
}

/** Leaves for commands that check the fleet what it was given; only its user can read it. */
export function recordGiven({ givenFile }: DataDir, { url, env }: Given): void {
  // The owner's password is needed once, by the supervisor.
  const { PARLEY_OWNER_PASSWORD: _, PARLEY_CONFIG_FILE: file, ...read } = readByParley(env, true)
  const config = file ? { PARLEY_CONFIG_FILE: resolve(file) } : {}
  writeWhole(givenFile, JSON.stringify({ url, env: { ...read, ...config } }) + '\n', 0o600)
}

/**
 * The environment of a fleet that runs on the data folder: that of this command, with what Parley reads as the fleet
 * was given it. Undefined while none runs.
 */
export function givenTo({ givenFile }: DataDir, own: NodeJS.ProcessEnv): Given | undefined {
  const recorded = readJson(givenFile) as Given | undefined
  return recorded && { ...recorded, env: { ...readByParley(own, false), ...recorded.env } }
}

/** The variables that Parley reads, or the others. */
const readByParley = (env: NodeJS.ProcessEnv, wanted: boolean): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(PARLEY_|OTEL_|NODE_EXTRA_CA_CERTS$)/.test(name) === wanted),
  )
