import { timestampDate, type Timestamp } from '@bufbuild/protobuf/wkt'
import type { Command } from 'commander'
import { exitCodes, Failure, misused } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

const kinds: Record<string, string> = { bearer: 'token', cookie: 'browser' }

/** Adds `session list` and `session end`. */
export function addSessionCommands(parent: Command, { withOperator, print }: Surroundings): void {
  parent
    .command('list')
    .description('list the sessions of an account: bearer tokens and browsers')
    .requiredOption('--login <login>', 'whose')
    .action(async ({ login }: { login: string }) => {
      const { userId, sessions } = await withOperator((operator) => operator.listSessions({ login }))
      const shown = sessions.map(({ id, kind, createdAt, expiresAt }) => {
        return { id, kind, createdAt: time(createdAt), expiresAt: time(expiresAt) }
      })
      const lines = shown.map(
        ({ id, kind, createdAt, expiresAt }) => `${id}  ${kinds[kind] ?? kind}  since ${createdAt}  until ${expiresAt}`,
      )
      const text = lines.length === 0 ? `${login} is signed in nowhere` : lines.join('\n')
      print({ json: { userId, login, sessions: shown }, text })
    })

  parent
    .command('end')
    .description('end sessions of an account; its open sockets are closed')
    .requiredOption('--login <login>', 'whose')
    .option('--id <session...>', 'ids of the sessions, as listed')
    .option('--all', 'every session, and every link and code that was sent by e-mail')
    .action(async ({ login, id = [], all }: { login: string; id?: string[]; all?: true }) => {
      if (id.length > 0 === (all ?? false)) throw misused('name the sessions with --id, or add --all')
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
          `${missing} of the named sessions do not exist or have ended; parley session list --login ${login} lists the current ones`,
        )
    })
}

const time = (at: Timestamp | undefined): string => (at ? timestampDate(at).toISOString() : '')
