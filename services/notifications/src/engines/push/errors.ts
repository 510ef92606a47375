import { Code, ConnectError } from '@connectrpc/connect'

const invalid = (message: string) => new ConnectError(message, Code.InvalidArgument)

export const pushIsOff = () => new ConnectError('this server does not send push notifications', Code.FailedPrecondition)
export const sessionEnded = () => new ConnectError('session expired: sign in again', Code.Unauthenticated)
export const badEndpoint = () => invalid('endpoint: an absolute https URL without a user name or password is required')
export const endpointIsPrivate = () => invalid('endpoint: its host must be on the public internet')
export const badP256dh = () => invalid('p256dh: an uncompressed point on P-256 (65 bytes) as base64url is required')
export const badAuth = () => invalid('auth: 16 bytes as base64url are required')
