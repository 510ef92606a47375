export const exitCodes = { refused: 1, usage: 2, unreachable: 3 } as const

export class Failure extends Error {
  readonly exitCode: number
  /** Printed with `--json`. */
  readonly code: string

  constructor(exitCode: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.code = code
  }
}

export const unreachable = (message: string) => new Failure(exitCodes.unreachable, 'unavailable', message)

export const misused = (message: string) => new Failure(exitCodes.usage, 'usage', message)
