import { retireSecret, rotatableSecrets, rotateSecret } from '@parley/local/known'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

/** Adds `secret list`, `secret rotate` and `secret retire` for the secrets of the fleet, kept in its data folder. */
export function addSecretCommands(parent: Command, { print, dataDir, env }: Surroundings): void {
  parent
    .command('list')
    .description('list the secrets that can be rotated')
    .action(async () => {
      const secrets = await refusing(() => rotatableSecrets(dataDir()))
      const lines = secrets.map(
        ({ name, variable, hasPrevious }) =>
          `${name}  ${variable}${hasPrevious ? '  (the previous value is still accepted)' : ''}`,
      )
      print({ json: { secrets }, text: lines.join('\n') })
    })

  parent
    .command('rotate')
    .argument('<name>', 'name of the secret, as listed')
    .description('generate a new secret; the previous value stays valid until it is retired')
    .action(async (name: string) => {
      await refusing(() => rotateSecret(dataDir(), name, env))
      print({ json: { rotated: name }, text: `${name} is rotated; start the fleet again` })
    })

  parent
    .command('retire')
    .argument('<name>', 'name of the secret, as listed')
    .description('delete the previous value of a secret; everything signed or encrypted with it becomes invalid')
    .action(async (name: string) => {
      await refusing(() => retireSecret(dataDir(), name))
      print({ json: { retired: name }, text: `the previous value of ${name} is deleted; start the fleet again` })
    })
}

async function refusing<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Failure(exitCodes.refused, 'failed_precondition', message, { cause: error })
  }
}
