import { durationFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { RetryInfoSchema } from '@parley/contracts/rpc'
import type { LimitClass } from './actions/forward/limit-class.ts'

export const unauthenticated = () =>
  new ConnectError(
    'authentication required: send "Authorization: Bearer <token>" or the session cookie',
    Code.Unauthenticated,
  )
export const unknownMethod = (path: string) => new ConnectError(`unknown method ${path}`, Code.Unimplemented)
export const methodNotAllowed = () => new ConnectError('call this method with POST', Code.Unimplemented)
export const unsupportedMediaType = (contentType: string) =>
  new ConnectError(
    `unsupported content type "${contentType}"; send application/json or application/proto`,
    Code.Unimplemented,
  )
export const unsupportedCompression = (encoding: string) =>
  new ConnectError(`unknown content encoding "${encoding}"; send gzip or identity`, Code.Unimplemented)
export const unsupportedProtocolVersion = (version: string) =>
  new ConnectError(`Connect-Protocol-Version must be "1", not "${version}"`, Code.InvalidArgument)
export const bodyTooLarge = (limit: number) =>
  new ConnectError(`the request body is larger than ${limit} bytes`, Code.ResourceExhausted)
export const malformedBody = (cause: unknown) =>
  new ConnectError('the body cannot be decompressed', Code.InvalidArgument, undefined, undefined, cause)
export const malformedJson = (cause: unknown) =>
  new ConnectError(
    `the body is not a valid JSON request for this method: ${cause instanceof Error ? cause.message : 'cannot be read'}`,
    Code.InvalidArgument,
  )
export const badTimeout = (value: string) =>
  new ConnectError(`Connect-Timeout-Ms must be a whole number of up to 10 digits, not "${value}"`, Code.InvalidArgument)
export const badIdempotencyKey = () =>
  new ConnectError('Idempotency-Key must be 1 to 128 visible ASCII characters', Code.InvalidArgument)
export const clientDisconnected = () => new ConnectError('the client closed the connection', Code.Canceled)

const retryAfter = (ms: number) => ({ 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) })
export const tooManySignIns = (retryAfterMs: number) =>
  new ConnectError('too many login attempts; wait and try again', Code.ResourceExhausted, retryAfter(retryAfterMs))
export const tooManyMails = (retryAfterMs: number) =>
  new ConnectError('too many mails requested; wait and try again', Code.ResourceExhausted, retryAfter(retryAfterMs))
export const tooManyProviderSignIns = (retryAfterMs: number) =>
  new ConnectError('too many sign-ins started; wait and try again', Code.ResourceExhausted, retryAfter(retryAfterMs))
export const signInFirst = () => new ConnectError('authentication required: sign in first', Code.Unauthenticated)
export const csrfMismatch = () =>
  new ConnectError(
    'permission denied: the CSRF token in X-CSRF-Token is missing or does not match',
    Code.PermissionDenied,
  )
export const badRequest = (what: string) => new ConnectError(what, Code.InvalidArgument)
export const noPendingRequest = () =>
  new ConnectError(
    'authorization request not found in this session; start again at the client',
    Code.FailedPrecondition,
  )
const retryLater = (message: string, retryAfterMs: number) =>
  new ConnectError(message, Code.ResourceExhausted, { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }, [
    { desc: RetryInfoSchema, value: { retryDelay: durationFromMs(retryAfterMs) } },
  ])
export const tooManyCalls = (limit: LimitClass, retryAfterMs: number) =>
  retryLater(`too many calls of this kind (${limit}); wait and try again`, retryAfterMs)
export const tooManyUnauthenticated = (retryAfterMs: number) =>
  retryLater('too many unauthenticated calls from your network; wait and try again', retryAfterMs)
export const tooManyBytes = () => retryLater('too many bytes in transfer from your network; wait and try again', 1_000)
export const tooManyImages = () => retryLater('too many images are being sent at the moment; try again', 1_000)
export const imageTooLarge = (limit: number) =>
  new ConnectError(`the image is larger than ${limit} bytes`, Code.ResourceExhausted)
export const uploadsUnavailable = (cause: unknown) =>
  new ConnectError('image uploads are not available; try again', Code.Unavailable, undefined, undefined, cause)
