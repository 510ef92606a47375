import type { Command } from 'commander'
import { misused } from './failure.ts'
import type { CommandContext } from './command-context.ts'

export type PasswordOption = { passwordStdin?: true }

/** Hidden commands work but are not listed in the help. */
export function addUserCommands(
  parent: Command,
  { withOperator, password, print }: CommandContext,
  hidden = false,
): void {
  parent
    .command('create', { hidden })
    .description('create an account')
    .requiredOption('--login <login>', 'login of the account')
    .option('--password-stdin', 'read its password from standard input')
    .option('--email <address>', 'its e-mail address, which counts as verified')
    .option('--role <name...>', 'roles to grant')
    .action(async (options: PasswordOption & { login: string; email?: string; role?: string[] }) => {
      const secret = await readGivenPassword(options, password)
      const { userId, login, roleNames } = await withOperator((operator) =>
        operator.createUser({
          login: options.login,
          password: secret,
          email: options.email ?? '',
          roleNames: options.role ?? [],
        }),
      )
      print({ json: { userId, login, roleNames }, text: `created ${login} (${userId})${rolesText(roleNames)}` })
    })

  parent
    .command('set-password', { hidden })
    .alias('reset-password')
    .description('set the password of an account and end all its sessions')
    .requiredOption('--login <login>', 'login of the account')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: PasswordOption & { login: string }) => {
      const secret = await readGivenPassword(options, password)
      const { userId } = await withOperator((operator) =>
        operator.setPassword({ login: options.login, password: secret }),
      )
      print({ json: { userId, login: options.login }, text: `${options.login} (${userId}) has a new password` })
    })

  parent
    .command('delete', { hidden })
    .description('delete an account permanently')
    .requiredOption('--login <login>', 'login of the account')
    .action(async ({ login }: { login: string }) => {
      const { userId } = await withOperator((operator) => operator.deleteUser({ login }))
      print({ json: { userId, login }, text: `${login} (${userId}) is deleted` })
    })

  parent
    .command('grant-role', { hidden })
    .description('grant a role to an account')
    .requiredOption('--login <login>', 'login of the account')
    .requiredOption('--role <name>', 'name of the role')
    .action(async ({ login, role }: { login: string; role: string }) => {
      const { userId, roleNames } = await withOperator((operator) => operator.grantRole({ login, roleName: role }))
      print({ json: { userId, login, roleNames }, text: `${login} (${userId}) has the roles ${roleNames.join(', ')}` })
    })
}

/** The password from standard input requires `--password-stdin`. */
export function readGivenPassword({ passwordStdin }: PasswordOption, read: () => Promise<string>): Promise<string> {
  if (passwordStdin === undefined) throw misused('the password is read from standard input: add --password-stdin')
  return read()
}

function rolesText(roleNames: string[]): string {
  return roleNames.length === 0 ? '' : ` with ${roleNames.join(', ')}`
}
