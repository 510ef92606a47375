import type { ConnectError } from '@connectrpc/connect'
import { storageUnavailable } from '../../errors.ts'
import { reportStorageFailure } from '../../metrics.ts'

/** What callers get when the storage fails: `unavailable`, without the reason, which is logged. */
export function storageFailure(cause: unknown): ConnectError {
  reportStorageFailure(cause)
  return storageUnavailable(cause)
}
