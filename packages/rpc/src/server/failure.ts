import { Code, ConnectError } from '@connectrpc/connect'
import { translateDatabaseError } from '@parley/postgres'
import { logger } from '@parley/telemetry'
import { methodName } from '../subjects.ts'
import { deadlineExceeded, type CallContext } from './call-context.ts'

const log = logger('rpc')

/**
 * Maps a failure to the error that the caller gets: a ConnectError unchanged, a database outage as `unavailable`, an
 * abort after the deadline as `deadline_exceeded`. Anything else is a bug, and so is a ConnectError with code
 * `internal` or `unknown`: it becomes `internal server error`, and is logged.
 */
export function failureOf(error: unknown, context: CallContext): ConnectError {
  if (error instanceof ConnectError && !isBug(error)) return error
  const unavailable = translateDatabaseError(error)
  if (unavailable) {
    log.warn({ method: methodName(context.method), error }, 'the database is not available')
    return unavailable
  }
  if (context.expired && isAbort(error)) return deadlineExceeded()
  log.error({ method: methodName(context.method), error }, 'a call failed')
  return new ConnectError('internal server error', Code.Internal)
}

function isBug(error: ConnectError): boolean {
  return error.code === Code.Internal || error.code === Code.Unknown
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
