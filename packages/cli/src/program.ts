import type { Readable } from 'node:stream'
import { Command, CommanderError } from 'commander'
import { readAccess } from './access.ts'
import { exitCodes, Failure } from './failure.ts'
import type { Operator } from './operator.ts'
import { readPassword } from './password.ts'
import { addUserCommands, type Result } from './user-commands.ts'

/** Where the command reads and writes. */
export type Terminal = {
  input: Readable
  out: (text: string) => void
  err: (text: string) => void
  env: NodeJS.ProcessEnv
}

const examples = `
Examples:
  echo "$PASSWORD" | pnpm parley user create --login alice --password-stdin --email alice@example.org --role admin
  echo "$PASSWORD" | pnpm parley user set-password --login alice --password-stdin
  pnpm parley user grant-role --login alice --role moderator
  pnpm parley user verify-email --login alice --email alice@example.org --json

Exit codes: 0 done, 1 refused by the fleet, 2 not understood, 3 the fleet cannot be reached.`

/** Runs the command line (without node and script) and answers the exit code. */
export async function runCli(args: string[], terminal: Terminal): Promise<number> {
  const program = build(terminal)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
    if (!(error instanceof Failure)) throw error
    const { json } = program.opts<{ json?: true }>()
    const { code, message } = error
    terminal.err(json ? `${JSON.stringify({ error: { code, message } })}\n` : `parley: ${message}\n`)
    return error.exitCode
  }
}

function build(terminal: Terminal): Command {
  const program = new Command('parley')
  const shared = {
    async ask<T>(question: (operator: Operator) => Promise<T>): Promise<T> {
      const { dataDir } = program.opts<{ dataDir?: string }>()
      const access = readAccess(dataDir ?? (terminal.env.PARLEY_DATA_DIR || '.data'))
      // Loaded when needed: help and mistakes answer at once.
      const { askOperator } = await import('./operator.ts')
      return askOperator(access, question)
    },
    password: () => readPassword(terminal.input),
    print: ({ json, text }: Result) => {
      terminal.out(program.opts<{ json?: true }>().json ? `${JSON.stringify(json)}\n` : `${text}\n`)
    },
  }
  program
    .description('Operates the Parley fleet that runs on this machine.')
    .option('--json', 'print the result as JSON')
    .option('--data-dir <folder>', 'data folder of the fleet (default: PARLEY_DATA_DIR, else .data)')
    .addHelpText('after', examples)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
  const user = program.command('user').description('accounts').addHelpText('after', examples)
  addUserCommands(user, shared)
  // Short forms: `parley set-password` does what `parley user set-password` does.
  addUserCommands(program, shared, true)
  // The options of the whole program are understood behind a command too; subcommands inherit output and exits.
  for (const command of [...program.commands, ...user.commands]) {
    command.copyInheritedSettings(program)
    command
      .option('--json', 'print the result as JSON')
      .option('--data-dir <folder>', 'data folder of the fleet (default: PARLEY_DATA_DIR, else .data)')
      .on('option:json', () => program.setOptionValue('json', true))
      .on('option:data-dir', (folder: string) => program.setOptionValue('dataDir', folder))
  }
  return program
}
