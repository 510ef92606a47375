import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import type { Surroundings } from './surroundings.ts'

/** Adds the commands about e-mail addresses of accounts below a command; hidden ones work without being listed in its help. */
export function addEmailCommands(parent: Command, { ask, print }: Surroundings, hidden = false): void {
  parent
    .command('verify-email', { hidden })
    .description('record an e-mail address of an account as verified')
    .requiredOption('--login <login>', 'its login')
    .requiredOption('--email <address>', 'the address')
    .action(async ({ login, email }: { login: string; email: string }) => {
      const { userId } = await ask((operator) => operator.verifyEmail({ login, email }))
      print({ json: { userId, login, email }, text: `${login} (${userId}) has the verified address ${email}` })
    })

  parent
    .command('list-emails', { hidden })
    .description('list the verified e-mail addresses of an account; each can ask for a new password')
    .requiredOption('--login <login>', 'its login')
    .action(async ({ login }: { login: string }) => {
      const { userId, emails } = await ask((operator) => operator.listEmails({ login }))
      const shown = emails.map(({ address, verifiedAt }) => {
        return { address, verifiedAt: verifiedAt ? timestampDate(verifiedAt).toISOString() : '' }
      })
      const lines = shown.map(({ address, verifiedAt }) => `${address}  since ${verifiedAt}`)
      const text = lines.length === 0 ? `${login} has no verified address` : lines.join('\n')
      print({ json: { userId, login, emails: shown }, text })
    })

  parent
    .command('remove-email', { hidden })
    .description('remove a verified e-mail address of an account, and void password links under way')
    .requiredOption('--login <login>', 'its login')
    .requiredOption('--email <address>', 'the address')
    .action(async ({ login, email }: { login: string; email: string }) => {
      const { userId } = await ask((operator) => operator.removeEmail({ login, email }))
      print({ json: { userId, login, email }, text: `${login} (${userId}) has the address ${email} no more` })
    })
}
