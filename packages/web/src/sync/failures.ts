import { Code, ConnectError } from '@parley/client'

/** Errors after which it is useless to repeat a read. */
const permanent = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.Unauthenticated])

/** Whether a retry would fail too. */
export const isPermanent = (thrown: unknown): boolean => permanent.has(ConnectError.from(thrown).code)

/** Delay before a failed read is retried. */
export const retryMs = 3_000
