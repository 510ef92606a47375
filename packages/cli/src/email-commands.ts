import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'

export function addEmailCommands(parent: Command, { withOperator, print }: CommandContext, hidden = false): void {
  parent
    .command('verify-email', { hidden })
    .description('record a verified e-mail address for an account')
    .requiredOption('--login <login>', 'login of the account')
    .requiredOption('--email <address>', 'the e-mail address')
    .action(async ({ login, email }: { login: string; email: string }) => {
      const { userId } = await withOperator((operator) => operator.verifyEmail({ login, email }))
      print({ json: { userId, login, email }, text: `${login} (${userId}) has the verified address ${email}` })
    })

  parent
    .command('list-emails', { hidden })
    .description('list the verified e-mail addresses of an account; any of them can be used to reset the password')
    .requiredOption('--login <login>', 'login of the account')
    .action(async ({ login }: { login: string }) => {
      const { userId, emails } = await withOperator((operator) => operator.listEmails({ login }))
      const shown = emails.map(({ address, verifiedAt }) => {
        return { address, verifiedAt: verifiedAt ? timestampDate(verifiedAt).toISOString() : '' }
      })
      const lines = shown.map(({ address, verifiedAt }) => `${address}  since ${verifiedAt}`)
      const text = lines.length === 0 ? `${login} has no verified address` : lines.join('\n')
      print({ json: { userId, login, emails: shown }, text })
    })

  parent
    .command('remove-email', { hidden })
    .description('remove a verified e-mail address from an account and invalidate pending password links')
    .requiredOption('--login <login>', 'login of the account')
    .requiredOption('--email <address>', 'the e-mail address')
    .action(async ({ login, email }: { login: string; email: string }) => {
      const { userId } = await withOperator((operator) => operator.removeEmail({ login, email }))
      print({ json: { userId, login, email }, text: `the address ${email} was removed from ${login} (${userId})` })
    })
}
