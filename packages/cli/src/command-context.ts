import type { OperatorAccess } from '@parley/local'
import type { Operator } from './operator.ts'

export type Result = { json: object; text: string }

export type CommandContext = {
  /** Calls the operator's methods of the running fleet, or with `--direct` uses its databases. */
  withOperator: <T>(use: (operator: Operator) => Promise<T>) => Promise<T>
  password: () => Promise<string>
  /** Access to the running fleet; throws when it does not run, or with `--direct`. */
  access: () => OperatorAccess
  /** Writes a piece of a long result; resolves when there is room for more. */
  write: (piece: string | Uint8Array) => Promise<void>
  /** Reports progress on standard error, but not with `--json`. */
  note: (text: string) => void
  print: (result: Result) => void
  /** Prints a result on standard error, for commands that write something else to standard output. */
  printAside: (result: Result) => void
  dataDir: () => string
  env: NodeJS.ProcessEnv
}
