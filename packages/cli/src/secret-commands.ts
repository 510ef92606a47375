import { retireSecret, rotatableSecrets, rotateSecret } from '@parley/local/known'
import type { Command } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import type { CommandContext } from './command-context.ts'

export function addSecretCommands(parent: Command, { print, dataDir, env }: CommandContext): void {
  parent
    .command('list')
    .description('list the secrets that can be rotated')
    .action(async () => {
      const secrets = await asRefusal(() => rotatableSecrets(dataDir()))
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
      await asRefusal(() => rotateSecret(dataDir(), name, env))
      print({ json: { rotated: name }, text: `${name} is rotated; restart the fleet` })
    })

  parent
    .command('retire')
    .argument('<name>', 'name of the secret, as listed')
    .description('delete the previous value of a secret; everything signed or encrypted with it becomes invalid')
    .action(async (name: string) => {
      await asRefusal(() => retireSecret(dataDir(), name))
      print({ json: { retired: name }, text: `the previous value of ${name} is deleted; restart the fleet` })
    })
}

async function asRefusal<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Failure(exitCodes.refused, 'failed_precondition', message, { cause: error })
  }
}
