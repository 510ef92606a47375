import { Command, CommanderError, Option } from 'commander'
import { readAccess } from './access.ts'
import { addConfigCommand } from './config-commands.ts'
import { databasesOf } from './databases.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { addEmailCommands } from './email-commands.ts'
import { exitCodes, Failure, misused } from './failure.ts'
import type { Operator } from './operator.ts'
import { addOwnerCommands } from './owner-commands.ts'
import { type PasswordInput, readPassword } from './password.ts'
import { addSecretCommands } from './secret-commands.ts'
import { addSessionCommands } from './session-commands.ts'
import type { Result, CommandContext } from './command-context.ts'
import { addUserCommands } from './user-commands.ts'
import { addDemoCommands } from './demo-commands.ts'
import { addExportCommand } from './export-command.ts'
import { addImportCommands } from './import-commands.ts'
import { addEventCommands } from './event-commands.ts'
import { addStatusCommand } from './status-command.ts'
import { addStorageCommands } from './storage-commands.ts'
import { addVapidCommands } from './vapid-commands.ts'

export type Terminal = {
  input: PasswordInput
  /** May return a promise that resolves when more output can be written. */
  out: (text: string) => unknown
  /** Returns the same as `out`. */
  pipe: (piece: string | Uint8Array) => unknown
  err: (text: string) => void
  env: NodeJS.ProcessEnv
}

const examples = `
Examples:
  read -rs PASSWORD   # not echoed and not in the shell history
  printf %s "$PASSWORD" | ./pnpm parley user create --login alice --password-stdin --email alice@example.org --role admin
  printf %s "$PASSWORD" | ./pnpm parley user set-password --login alice --password-stdin
  ./pnpm parley user grant-role --login alice --role moderator
  ./pnpm parley user verify-email --login alice --email alice@example.org --json
  printf %s "$PASSWORD" | ./pnpm parley owner create --login olivia --password-stdin --direct
  ./pnpm parley session list --login alice
  ./pnpm parley session end --login alice --all
  ./pnpm parley secret rotate core
  ./pnpm parley config accounts
  ./pnpm parley doctor
  ./pnpm parley status --watch
  ./pnpm parley vapid generate
  ./pnpm parley demo create
  ./pnpm parley export --out rooms.jsonl --files files
  ./pnpm parley import slack export.zip --report report.json

With --direct, the commands of user, owner and session use the databases of accounts and admin; the fleet need not run.

Exit codes: 0 done, 1 refused, 2 invalid command line, 3 the fleet (or with --direct a database) is unreachable.`

/** `args` are without node and script name. Returns the exit code. */
export async function runCli(args: string[], terminal: Terminal): Promise<number> {
  // Parsing may fail before the options are known, so look for --json in the raw arguments.
  const json = args.includes('--json')
  const program = build(terminal, json)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !json)) {
      return error.exitCode === 0 ? 0 : exitCodes.usage
    }
    const failure = error instanceof CommanderError ? toUsageFailure(error) : error
    if (!(failure instanceof Failure)) throw failure
    const { code, message, exitCode } = failure
    terminal.err(json ? `${JSON.stringify({ error: { code, message } })}\n` : `parley: ${sanitize(message)}\n`)
    return exitCode
  }
}

/** Names and settings could contain terminal escape sequences. */
function sanitize(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, '\uFFFD')
}

function toUsageFailure({ code, message }: CommanderError): Failure {
  return misused(code === 'commander.help' ? 'missing command; see --help' : message.replace('error: ', ''))
}

function build(unfiltered: Terminal, json: boolean): Command {
  const terminal = json ? { ...unfiltered, err: () => undefined } : unfiltered
  const program = new Command('parley')
    .description('Operates the Parley fleet that runs on this machine.')
    .addHelpText('after', examples)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .exitOverride()
    .showHelpAfterError('(add --help for the options)')
  addSharedOptions(program)
  const { nested, withoutDirect } = addCommands(program, createContext(program, terminal, unfiltered.err))
  // Accept the shared options after a subcommand too. Subcommands inherit output and exit handling.
  for (const command of [...program.commands, ...nested]) {
    command.copyInheritedSettings(program)
    addSharedOptions(command, withoutDirect.has(command))
      .on('option:json', () => program.setOptionValue('json', true))
      .on('option:direct', () => program.setOptionValue('direct', true))
      .on('option:data-dir', (folder: string) => program.setOptionValue('dataDir', folder))
  }
  return program
}

type SharedOptions = { json?: true; dataDir?: string; direct?: true }

function addSharedOptions(command: Command, hideDirect = false): Command {
  const direct = new Option('--direct', 'use the databases of accounts and admin instead of the running fleet')
  return command
    .option('--json', 'print the result as JSON')
    .option('--data-dir <folder>', 'data folder of the fleet (default: PARLEY_DATA_DIR, else .data)')
    .addOption(direct.hideHelp(hideDirect))
}

/** The functions read the options when a command calls them. `printAside` writes to stderr even with `--json`. */
function createContext(program: Command, terminal: Terminal, printAside: Terminal['err']): CommandContext {
  const dataDir = () => {
    const { dataDir: named } = program.opts<SharedOptions>()
    if (named === '') throw misused('--data-dir needs a folder')
    return named ?? (terminal.env.PARLEY_DATA_DIR || '.data')
  }
  const format = ({ json, text }: Result) =>
    program.opts<SharedOptions>().json ? `${JSON.stringify(json)}\n` : `${sanitize(text)}\n`
  return {
    async withOperator<T>(use: (operator: Operator) => Promise<T>): Promise<T> {
      // Imported on demand, so that help and usage errors are fast.
      if (program.opts<SharedOptions>().direct) {
        const { callOperatorDirectly } = await import('./direct.ts')
        return callOperatorDirectly(databasesOf(dataDir(), terminal.env), use)
      }
      const access = readAccess(dataDir())
      const { callOperator } = await import('./operator.ts')
      return callOperator(access, use)
    },
    password: () => readPassword(terminal.input),
    access: () => {
      if (program.opts<SharedOptions>().direct)
        throw misused('this command needs the running fleet and does not support --direct')
      return readAccess(dataDir())
    },
    write: async (piece) => {
      await terminal.pipe(piece)
    },
    note: (text: string) => terminal.err(`${sanitize(text)}\n`),
    print: (result) => terminal.out(format(result)),
    printAside: (result) => printAside(format(result)),
    dataDir,
    env: terminal.env,
  }
}

function addCommands(program: Command, shared: CommandContext): { nested: Command[]; withoutDirect: Set<Command> } {
  const user = program.command('user').description('accounts').addHelpText('after', examples)
  addUserCommands(user, shared)
  addEmailCommands(user, shared)
  // Short forms: `parley set-password` is the same as `parley user set-password`.
  addUserCommands(program, shared, true)
  addEmailCommands(program, shared, true)
  const group = (name: string, about: string, add: (parent: Command, shared: CommandContext) => void): Command => {
    const parent = program.command(name).description(about)
    add(parent, shared)
    return parent
  }
  const storage = group('storage', 'file storage: check it, or assign it to this database', addStorageCommands)
  const events = group('events', 'parked events: consumers gave up on them', addEventCommands)
  const owner = group('owner', 'owners of the server', addOwnerCommands)
  const session = group('session', 'sessions of accounts', addSessionCommands)
  const secret = group('secret', 'secrets of the fleet, stored in its data folder', addSecretCommands)
  const vapid = group('vapid', 'keys for push notifications (VAPID)', addVapidCommands)
  const importing = group('import', 'import people, rooms and messages', addImportCommands)
  const demo = group('demo', 'sample content', addDemoCommands)
  addConfigCommand(program, shared)
  const ungrouped = [
    addExportCommand(program, shared),
    addDoctorCommand(program, shared),
    addStatusCommand(program, shared),
  ]
  const groups = [user, owner, session, secret, vapid, storage, events, importing, demo]
  const fleetGroups = [importing, storage, events, demo]
  return {
    nested: groups.flatMap(({ commands }) => commands),
    withoutDirect: new Set([...fleetGroups.flatMap(({ commands }) => commands), ...ungrouped]),
  }
}
