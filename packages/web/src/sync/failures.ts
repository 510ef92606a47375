import { Code, ConnectError } from '@parley/client'

/** Errors of reads for which a retry is useless. */
const lasting = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.Unauthenticated])

/** Whether a retry would fail too. */
export const isLasting = (thrown: unknown): boolean => lasting.has(ConnectError.from(thrown).code)

/** Delay before a failed read is retried. */
export const retryMs = 3_000
