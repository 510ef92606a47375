import type { OperatorAccess } from '@parley/local'
import type { Operator } from './operator.ts'

/** A result: what `--json` prints, and sentences for people. */
export type Result = { json: object; text: string }

/** What a command needs from its environment. */
export type Surroundings = {
  /** Asks the running fleet, or with `--direct` its databases. */
  withOperator: <T>(use: (operator: Operator) => Promise<T>) => Promise<T>
  password: () => Promise<string>
  /** Access to the running fleet; throws when it does not run, or with `--direct`. */
  access: () => OperatorAccess
  /** Writes a piece of a long result; resolves when there is room for more. */
  write: (piece: string | Uint8Array) => Promise<void>
  /** Tells how far something is, beside the result. */
  note: (text: string) => void
  print: (result: Result) => void
  /** The same on standard error, when something else is on standard output. */
  printAside: (result: Result) => void
  /** Data folder of the fleet. */
  dataDir: () => string
  env: NodeJS.ProcessEnv
}
