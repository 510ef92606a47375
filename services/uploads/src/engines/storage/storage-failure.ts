import type { ConnectError } from '@connectrpc/connect'
import { storageUnavailable } from '../../errors.ts'
import { reportStorageFailure } from '../../metrics.ts'

/**
 * Logs a failure of the storage, each kind at most once a minute, and returns the error for callers: `unavailable`,
 * with a message that does not contain the reason.
 */
export function storageFailure(cause: unknown): ConnectError {
  reportStorageFailure(cause)
  return storageUnavailable(cause)
}
