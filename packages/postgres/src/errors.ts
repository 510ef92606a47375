import { Code, ConnectError } from '@connectrpc/connect'
import pg from 'pg'

const UNIQUE_VIOLATION = '23505'
const LOCK_NOT_AVAILABLE = '55P03'

/** System errors of a connection that could not be opened or broke. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * SQLSTATE classes and codes of temporary failures: connection exceptions (08), out of resources (53), shutdown and
 * start-up (57P), statement_timeout (57014), lock_timeout (55P03), end of an idle transaction (25P03), read-only standby
 * (25006), deadlock (40P01), serialisation failure (40001).
 */
const temporaryFailures = /^(08...|53...|57P..|57014|55P03|25P03|25006|40P01|40001)$/

const undefinedNames = new Set(['42P01', '42703'])

const driverMessages =
  /connection terminated|connection timeout|timeout exceeded when trying to connect|query read timeout|not queryable|calling end on the pool|client was closed/i

/** An error and its causes, outermost first: drizzle wraps the errors of the driver. */
function* causes(error: unknown): Generator<Error> {
  let current = error
  for (let depth = 0; current instanceof Error && depth < 8; depth++) {
    yield current
    current = current.cause
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether a unique constraint was violated: any, or the one with the name `constraint`. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  for (const cause of causes(error)) {
    if (cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION) {
      return constraint === undefined || cause.constraint === constraint
    }
  }
  return false
}

/** Whether a statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  for (const cause of causes(error)) if (cause instanceof pg.DatabaseError) return cause.code === LOCK_NOT_AVAILABLE
  return false
}

/** A missing Unix socket (ENOENT) counts too: its server has stopped. */
function isNetworkError(error: Error): boolean {
  const code = codeOf(error)
  return networkCodes.has(code) || (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect')
}

/**
 * Whether the failure is temporary, so that a retry may help: the server could not be reached, dropped the connection,
 * is starting, stopping, read-only or out of resources, or ended the statement because of a timeout or a conflict with
 * another transaction.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (const cause of causes(error)) {
    if (cause instanceof ConnectError) return false
    if (cause instanceof pg.DatabaseError) return temporaryFailures.test(codeOf(cause))
    if (isNetworkError(cause) || driverMessages.test(cause.message)) return true
  }
  return false
}

/** `unavailable` if the failure of the database is temporary; otherwise undefined. */
export function translateDatabaseError(error: unknown): ConnectError | undefined {
  if (!isDatabaseUnavailable(error)) return undefined
  return new ConnectError('the database is not available; try again', Code.Unavailable, undefined, undefined, error)
}

/**
 * The error for an operator who works on a service's database: PostgreSQL's message, without the statement and its
 * parameters, or that the database is not available. Undefined if the database is not the cause.
 */
export function explainDatabaseError(error: unknown, service: string): ConnectError | undefined {
  const unavailable = translateDatabaseError(error)
  if (unavailable) return unavailable
  for (const cause of causes(error)) {
    if (!(cause instanceof pg.DatabaseError)) continue
    const unmigrated = undefinedNames.has(cause.code ?? '') ? `; run migrate.js of ${service} first` : ''
    const message = `the database of ${service} reports: ${cause.message}${unmigrated}`
    return new ConnectError(message, Code.Unavailable, undefined, undefined, error)
  }
  return undefined
}

/**
 * Whether the connection must be closed: its state is unknown, because a statement failed without a response of the
 * server, or it has prepared statements on a table that has changed since. The pool itself drops connections that the
 * server has closed.
 */
export function leavesConnectionBroken(error: unknown): boolean {
  const answer = [...causes(error)].find((cause) => cause instanceof pg.DatabaseError)
  return answer ? answer.routine === 'RevalidateCachedQuery' : isDatabaseUnavailable(error)
}
