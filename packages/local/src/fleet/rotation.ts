import { statSync } from 'node:fs'
import { effectiveSettings } from '@parley/config'
import { readPidFile } from '../infrastructure/index.ts'
import { readSecretSettings } from '../settings.ts'
import { dataDirAt } from './data-dir.ts'
import { readJson } from './files.ts'
import { lockDataDir } from './lock.ts'
import { Secrets } from './secrets.ts'
import { rotatable } from './service-env.ts'

export type RotatableSecret = { name: string; variable: string; hasPrevious: boolean }

/** Throws if no fleet has run on the folder. */
export function rotatableSecrets(dataDir: string): RotatableSecret[] {
  assertFleetRan(dataDir)
  const secrets = new Secrets(dataDirAt(dataDir).secretsFile)
  return rotatable.map((one) => ({ ...one, hasPrevious: secrets.peek(previousOf(one.name)) !== undefined }))
}

/**
 * Generates a new secret and stores the previous value for verification; takes effect at the next start of the fleet.
 * Throws while the fleet runs, if a previous value is still stored, if the environment or parley.toml sets the
 * secret, for an unknown secret, and for a folder of another user or without a fleet.
 */
export async function rotateSecret(dataDir: string, name: string, env: NodeJS.ProcessEnv): Promise<void> {
  using locked = await lockSecrets(dataDir, name)
  const { variable } = locked
  const source = sourceOf(variable, env)
  if (source !== undefined)
    throw new Error(`${variable} is set in ${source === 'environment' ? 'the environment' : source}; change it there`)
  if (locked.secrets.peek(previousOf(name)) !== undefined)
    throw new Error(`${name} was rotated before, and its previous value is still accepted; retire that first`)
  locked.secrets.rotate(name, previousOf(name))
}

/**
 * Deletes the previous value of a secret: what was signed or encrypted with it becomes invalid. Throws while the
 * fleet runs, if there is no previous value, for an unknown secret, and for a folder of another user or without a
 * fleet.
 */
export async function retireSecret(dataDir: string, name: string): Promise<void> {
  using locked = await lockSecrets(dataDir, name)
  if (locked.secrets.peek(previousOf(name)) === undefined) throw new Error(`there is no previous value of ${name}`)
  locked.secrets.delete(previousOf(name))
}

const previousOf = (name: string): string => `${name}.previous`

/** Locks the data folder, because a running fleet or another rotation would overwrite the changes. */
async function lockSecrets(
  dataDir: string,
  name: string,
): Promise<Disposable & { secrets: Secrets; variable: string }> {
  const known = rotatable.find((one) => one.name === name)
  if (!known)
    throw new Error(`there is no secret ${name}; these can be rotated: ${rotatable.map((one) => one.name).join(', ')}`)
  assertFleetRan(dataDir)
  const { root, lockFile, secretsFile } = dataDirAt(dataDir)
  if (process.getuid?.() !== statSync(secretsFile).uid)
    throw new Error(`the fleet on ${root} belongs to another user; run this command as that user`)
  const holder = readPidFile(lockFile)
  if (holder !== undefined)
    throw new Error(
      `the fleet on ${root} is running (process ${holder.pid}); stop it, repeat this command, then start it again`,
    )
  const lock = await lockDataDir(root, lockFile)
  try {
    return { secrets: new Secrets(secretsFile), variable: known.variable, [Symbol.dispose]: lock[Symbol.dispose] }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

function sourceOf(variable: string, env: NodeJS.ProcessEnv): string | undefined {
  if (env[variable]) return 'environment'
  const found = effectiveSettings(readSecretSettings, { env }).find((one) => one.env === variable)
  return found === undefined || ['not set', 'missing'].includes(found.source) ? undefined : found.source
}

function assertFleetRan(dataDir: string): void {
  const { secretsFile, root } = dataDirAt(dataDir)
  if (readJson(secretsFile) === undefined) throw new Error(`no fleet has ever run on ${root}`)
}
