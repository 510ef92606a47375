import type { ConnectError } from '@connectrpc/connect'
import { storageUnavailable } from '../../errors.ts'
import { reportStorageFailure } from '../../metrics.ts'

/**
 * Logs a failure, each kind at most once a minute, and returns the error for callers: `unavailable`, without the
 * reason.
 */
export function storageFailure(cause: unknown): ConnectError {
  reportStorageFailure(cause)
  return storageUnavailable(cause)
}
