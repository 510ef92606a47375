import type { OperatorAccess } from '@parley/local'
import type { Operator } from './operator.ts'

export type Result = { json: object; text: string }

export type CommandContext = {
  /** With `--direct`, uses the databases instead of the running fleet. */
  withOperator: <T>(use: (operator: Operator) => Promise<T>) => Promise<T>
  password: () => Promise<string>
  /** Throws if the operator file of the fleet cannot be read, or with `--direct`. */
  access: () => OperatorAccess
  /** Writes to standard output. Resolves when more can be written. */
  write: (piece: string | Uint8Array) => Promise<void>
  /** Prints on standard error, but not with `--json`. */
  note: (text: string) => void
  print: (result: Result) => void
  /** Prints on standard error, for commands that write something else to standard output. */
  printAside: (result: Result) => void
  dataDir: () => string
  env: NodeJS.ProcessEnv
}
