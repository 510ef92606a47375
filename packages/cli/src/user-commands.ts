import type { Command } from 'commander'
import { misused } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

export type PasswordOption = { passwordStdin?: true }

/** Adds the commands that create, change and delete accounts. Hidden commands work but are not listed in the help. */
export function addUserCommands(
  parent: Command,
  { withOperator, password, print }: Surroundings,
  hidden = false,
): void {
  parent
    .command('create', { hidden })
    .description('create an account')
    .requiredOption('--login <login>', 'its login')
    .option('--password-stdin', 'read its password from standard input')
    .option('--email <address>', 'its e-mail address, which counts as verified')
    .option('--role <name...>', 'roles to give it')
    .action(async (options: PasswordOption & { login: string; email?: string; role?: string[] }) => {
      const secret = await given(options, password)
      const { userId, login, roleNames } = await withOperator((operator) =>
        operator.createUser({
          login: options.login,
          password: secret,
          email: options.email ?? '',
          roleNames: options.role ?? [],
        }),
      )
      print({ json: { userId, login, roleNames }, text: `made ${login} (${userId})${rolesText(roleNames)}` })
    })

  parent
    .command('set-password', { hidden })
    .alias('reset-password')
    .description('set the password of an account and end all its sessions')
    .requiredOption('--login <login>', 'its login')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: PasswordOption & { login: string }) => {
      const secret = await given(options, password)
      const { userId } = await withOperator((operator) =>
        operator.setPassword({ login: options.login, password: secret }),
      )
      print({ json: { userId, login: options.login }, text: `${options.login} (${userId}) has a new password` })
    })

  parent
    .command('delete', { hidden })
    .description('delete an account for good')
    .requiredOption('--login <login>', 'its login')
    .action(async ({ login }: { login: string }) => {
      const { userId } = await withOperator((operator) => operator.deleteUser({ login }))
      print({ json: { userId, login }, text: `${login} (${userId}) is deleted` })
    })

  parent
    .command('grant-role', { hidden })
    .description('give a role to an account')
    .requiredOption('--login <login>', 'its login')
    .requiredOption('--role <name>', 'the role')
    .action(async ({ login, role }: { login: string; role: string }) => {
      const { userId, roleNames } = await withOperator((operator) => operator.grantRole({ login, roleName: role }))
      print({ json: { userId, login, roleNames }, text: `${login} (${userId})${rolesText(roleNames)}` })
    })
}

/** Reads the password from standard input, which requires `--password-stdin`. */
export function given({ passwordStdin }: PasswordOption, read: () => Promise<string>): Promise<string> {
  if (passwordStdin === undefined) throw misused('the password is read from standard input: add --password-stdin')
  return read()
}

function rolesText(roleNames: string[]): string {
  return roleNames.length === 0 ? '' : ` with ${roleNames.join(', ')}`
}
