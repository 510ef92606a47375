import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import { exitCodes, Failure, misused } from './failure.ts'
import type { CommandContext } from './command-context.ts'

const kinds: Record<string, string> = { bearer: 'token', cookie: 'browser' }

export function addSessionCommands(parent: Command, { withOperator, print }: CommandContext): void {
  parent
    .command('list')
    .description('list the sessions of an account: bearer tokens and browsers')
    .requiredOption('--login <login>', 'login of the account')
    .action(async ({ login }: { login: string }) => {
      const { userId, sessions } = await withOperator((operator) => operator.listSessions({ login }))
      const shown = sessions.map(({ id, kind, createdAt, expiresAt }) => {
        return { id, kind, createdAt: time(createdAt), expiresAt: time(expiresAt) }
      })
      const lines = shown.map(
        ({ id, kind, createdAt, expiresAt }) => `${id}  ${kinds[kind] ?? kind}  since ${createdAt}  until ${expiresAt}`,
      )
      const text = lines.length === 0 ? `${login} has no sessions` : lines.join('\n')
      print({ json: { userId, login, sessions: shown }, text })
    })

  parent
    .command('end')
    .description('end sessions of an account and close their sockets')
    .requiredOption('--login <login>', 'login of the account')
    .option('--id <session...>', 'ids of the sessions, as listed')
    .option(
      '--all',
      'all sessions; also invalidates mailed links and codes, withdraws consents to other web clients, and removes e-mail addresses and sign-in methods added in the last hour',
    )
    .action(async ({ login, id = [], all }: { login: string; id?: string[]; all?: true }) => {
      if (id.length > 0 === (all ?? false)) throw misused('choose sessions with --id, or use --all')
      const sessionIds = [...new Set(id)]
      const { userId, ended } = await withOperator((operator) => operator.endSessions({ login, sessionIds }))
      print({
        json: { userId, login, ended },
        text: `${ended} ${ended === 1 ? 'session' : 'sessions'} of ${login} ended`,
      })
      const missing = sessionIds.length - ended
      if (missing > 0)
        throw new Failure(
          exitCodes.refused,
          'not_found',
          `${missing} of the named sessions ${missing === 1 ? 'does not exist or has' : 'do not exist or have'} ended; parley session list --login ${login} lists the current ones`,
        )
    })
}

const time = (at: Timestamp | undefined): string => (at ? timestampDate(at).toISOString() : '')
