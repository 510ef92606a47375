import { Code, ConnectError } from '@parley/client'

/** Failures of reads that trying again does not mend. */
const lasting = new Set([Code.InvalidArgument, Code.PermissionDenied, Code.NotFound, Code.Unauthenticated])

/** Whether reading again would fail in the same way. */
export const isLasting = (thrown: unknown): boolean => lasting.has(ConnectError.from(thrown).code)

/** What could not be read is tried again after this. */
export const retryMs = 3_000
