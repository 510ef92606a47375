import { Code, ConnectError } from '@parley/client'

const permanent = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.Unauthenticated])

/** Whether a retry would fail too. */
export const isPermanent = (thrown: unknown): boolean => permanent.has(ConnectError.from(thrown).code)

export const retryMs = 3_000
