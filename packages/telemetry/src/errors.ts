export type DescribedError = {
  type: string
  message: string
  code?: string | number
  constraint?: string
  stack: string
  cause?: unknown
}

/**
 * Describes an error without content of users. Only harmless properties are kept (PostgreSQL's `detail` quotes rows),
 * and the parameters of a failed query are removed from its message.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error
  const message = withoutParameters(error.message)
  const described: DescribedError = {
    type: error.name,
    message,
    stack: (error.stack ?? '').replace(error.message, () => message),
  }
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) described.code = error.code
  if ('constraint' in error && typeof error.constraint === 'string') described.constraint = error.constraint
  if (error.cause !== undefined) described.cause = describeError(error.cause)
  return described
}

function withoutParameters(message: string): string {
  const parameters = message.indexOf('\nparams:')
  return parameters < 0 ? message : message.slice(0, parameters)
}
