import { Code, ConnectError } from '@connectrpc/connect'
import { translateDatabaseError } from '@parley/postgres'
import { logger } from '@parley/telemetry'
import { methodName } from '../subjects.ts'
import { deadlineExceeded, type CallContext } from './call-context.ts'

const log = logger('rpc')

/**
 * What the caller is told of a failure: a ConnectError as it is, database trouble as `unavailable`, an abort after the
 * deadline as `deadline_exceeded`, and everything else, which is a bug, as `internal server error` with the cause in the log.
 */
export function failureOf(error: unknown, context: CallContext): ConnectError {
  if (error instanceof ConnectError && !isBug(error)) return error
  const trouble = translateDatabaseError(error)
  if (trouble) {
    log.warn({ method: methodName(context.method), error: describeError(error) }, 'the database is not available')
    return trouble
  }
  if (context.expired && isAbort(error)) return deadlineExceeded()
  log.error({ method: methodName(context.method), error: describeError(error) }, 'a call failed')
  return new ConnectError('internal server error', Code.Internal)
}

function isBug(error: ConnectError): boolean {
  return error.code === Code.Internal || error.code === Code.Unknown
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/**
 * An error as the log may hold it. Messages of failed statements quote parameters, so of those only what names no value is
 * kept, and the frames of the stack.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error
  const fields: Record<string, unknown> = { ...error }
  const quotesValues = 'query' in fields || 'severity' in fields || 'detail' in fields
  return {
    type: error.name,
    ...(quotesValues ? pick(fields, ['code', 'constraint', 'table', 'column', 'routine']) : { message: error.message }),
    stack: error.stack?.split('\n').filter((line) => /^\s+at /.test(line)),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  }
}

function pick(fields: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))
}
