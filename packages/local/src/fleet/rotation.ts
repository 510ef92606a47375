import { statSync } from 'node:fs'
import { effectiveSettings } from '@parley/config'
import { readPidFile } from '../infrastructure/index.ts'
import { readGivenSecrets } from '../settings.ts'
import { dataDirAt } from './data-dir.ts'
import { readJson } from './files.ts'
import { lockDataDir } from './lock.ts'
import { Secrets } from './secrets.ts'
import { rotatable } from './service-env.ts'

/** A secret that can be rotated: its name, the setting it is, and whether the one before is still kept. */
export type RotatableSecret = { name: string; variable: string; hasPrevious: boolean }

/** Secrets of the fleet on a data folder. Throws when there is none. */
export function rotatableSecrets(dataDir: string): RotatableSecret[] {
  assertFleetRan(dataDir)
  const secrets = new Secrets(dataDirAt(dataDir).secretsFile)
  return rotatable.map((one) => ({ ...one, hasPrevious: secrets.peek(previousOf(one.name)) !== undefined }))
}

/**
 * Makes a new secret and keeps the one before for reading; in effect when the fleet is started next. Throws while the fleet
 * runs, when the one before the present is still kept, and when services get the secret from elsewhere.
 */
export async function rotateSecret(dataDir: string, name: string, env: NodeJS.ProcessEnv): Promise<void> {
  using held = await hold(dataDir, name)
  const { variable } = held
  const source = sourceOf(variable, env)
  if (source !== undefined)
    throw new Error(`${variable} is set in ${source === 'environment' ? 'the environment' : source}: change it there`)
  if (held.secrets.peek(previousOf(name)) !== undefined)
    throw new Error(`${name} was rotated before, and the secret before that is still read: retire it first`)
  held.secrets.renew(name, previousOf(name))
}

/** Forgets the secret before the present: what was made with it holds no more. Throws while the fleet runs. */
export async function retireSecret(dataDir: string, name: string): Promise<void> {
  using held = await hold(dataDir, name)
  if (held.secrets.peek(previousOf(name)) === undefined)
    throw new Error(`of ${name} no secret before the present is kept`)
  held.secrets.delete(previousOf(name))
}

const previousOf = (name: string): string => `${name}.previous`

/** A running fleet, or another rotation, would write its own state over ours: the folder is ours alone until this is disposed. */
async function hold(dataDir: string, name: string): Promise<Disposable & { secrets: Secrets; variable: string }> {
  const known = rotatable.find((one) => one.name === name)
  if (!known)
    throw new Error(`there is no secret ${name}; these can be rotated: ${rotatable.map((one) => one.name).join(', ')}`)
  assertFleetRan(dataDir)
  const { root, lockFile, secretsFile } = dataDirAt(dataDir)
  // What root writes in somebody else's folder, their fleet could not read any more.
  if (process.getuid?.() !== statSync(secretsFile).uid)
    throw new Error(`the fleet on ${root} is another user's: run this as that user`)
  const holder = readPidFile(lockFile)
  if (holder !== undefined)
    throw new Error(`the fleet on ${root} runs (process ${holder.pid}); stop it, then rotate, then start it again`)
  const lock = await lockDataDir(root, lockFile)
  try {
    return { secrets: new Secrets(secretsFile), variable: known.variable, [Symbol.dispose]: lock[Symbol.dispose] }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** Where services get a secret from, if it is not among those of the fleet. */
function sourceOf(variable: string, env: NodeJS.ProcessEnv): string | undefined {
  if (env[variable]) return 'environment'
  const found = effectiveSettings(readGivenSecrets, { env }).find((one) => one.env === variable)
  return found === undefined || ['not set', 'missing'].includes(found.source) ? undefined : found.source
}

function assertFleetRan(dataDir: string): void {
  const { secretsFile, root } = dataDirAt(dataDir)
  if (readJson(secretsFile) === undefined) throw new Error(`no fleet ever ran on ${root}`)
}
