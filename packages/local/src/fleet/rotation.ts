import { existsSync } from 'node:fs'
import { readPidFile } from '../infrastructure/index.ts'
import { dataDirAt } from './data-dir.ts'
import { Secrets } from './secrets.ts'
import { rotatable } from './service-env.ts'

/** A secret that can be rotated: its name, the setting it is, and whether the one before is still kept. */
export type RotatableSecret = { name: string; variable: string; hasPrevious: boolean }

/** Secrets of the fleet on a data folder. Throws when there is none. */
export function rotatableSecrets(dataDir: string): RotatableSecret[] {
  const secrets = secretsOf(dataDir)
  return rotatable.map((one) => ({ ...one, hasPrevious: secrets.peek(previousOf(one.name)) !== undefined }))
}

/**
 * Makes a new secret and keeps the one before for reading; in effect when the fleet is started next. Throws while the fleet
 * runs, and when the one before the present is still kept.
 */
export function rotateSecret(dataDir: string, name: string): void {
  const secrets = resting(dataDir, name)
  if (secrets.peek(previousOf(name)) !== undefined)
    throw new Error(`${name} was rotated before, and the secret before that is still read: retire it first`)
  secrets.set(previousOf(name), secrets.get(name))
  secrets.delete(name)
  secrets.get(name)
}

/** Forgets the secret before the present: what was made with it holds no more. Throws while the fleet runs. */
export function retireSecret(dataDir: string, name: string): void {
  const secrets = resting(dataDir, name)
  if (secrets.peek(previousOf(name)) === undefined) throw new Error(`of ${name} no secret before the present is kept`)
  secrets.delete(previousOf(name))
}

const previousOf = (name: string): string => `${name}.previous`

/** A running fleet would write its own state over ours. */
function resting(dataDir: string, name: string): Secrets {
  if (!rotatable.some((one) => one.name === name))
    throw new Error(`there is no secret ${name}; these can be rotated: ${rotatable.map((one) => one.name).join(', ')}`)
  const secrets = secretsOf(dataDir)
  const holder = readPidFile(dataDirAt(dataDir).lockFile)
  if (holder !== undefined)
    throw new Error(`the fleet on ${dataDir} runs (process ${holder.pid}); stop it, then rotate, then start it again`)
  return secrets
}

function secretsOf(dataDir: string): Secrets {
  const { secretsFile, root } = dataDirAt(dataDir)
  if (!existsSync(secretsFile)) throw new Error(`no fleet ever ran on ${root}`)
  return new Secrets(secretsFile)
}
