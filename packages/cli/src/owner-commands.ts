import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { type PasswordOption, readGivenPassword } from './user-commands.ts'

export function addOwnerCommands(parent: Command, { withOperator, password, print }: CommandContext): void {
  parent
    .command('create')
    .description('create an account with the role owner')
    .requiredOption('--login <login>', 'login of the account')
    .option('--password-stdin', 'read its password from standard input')
    .option('--email <address>', 'its e-mail address, which counts as verified')
    .action(async (options: PasswordOption & { login: string; email?: string }) => {
      const secret = await readGivenPassword(options, password)
      const { login, email = '' } = options
      const { userId, roleNames } = await withOperator((operator) =>
        operator.createUser({ login, password: secret, email, roleNames: ['owner'] }),
      )
      print({ json: { userId, login, roleNames }, text: `created the owner ${login} (${userId})` })
    })
}
