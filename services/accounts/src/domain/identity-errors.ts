import { Code, ConnectError } from '@connectrpc/connect'

export const providerNotFound = (id: string) => new ConnectError(`sign-in provider not found: "${id}"`, Code.NotFound)
export const providerUnavailable = (label: string) =>
  new ConnectError(`the sign-in provider "${label}" is unavailable; try again later`, Code.Unavailable)
export const browserHandleMissing = () =>
  new ConnectError('browser handle required: the request contains none', Code.InvalidArgument)
export const linkNotStartedByCaller = () =>
  new ConnectError(
    'authentication required: sign in with the account that you want to link, and start again',
    Code.Unauthenticated,
  )
export const invalidRedirectPath = () =>
  new ConnectError('invalid redirect path: it must be a path on this server', Code.InvalidArgument)
export const flowNotFound = () =>
  new ConnectError('sign-in not found: it has expired or was completed; sign in at the provider again', Code.NotFound)
export const wrongFlow = () =>
  new ConnectError('invalid token: it was issued for another step of the sign-in', Code.InvalidArgument)
export const identityTaken = () =>
  new ConnectError('identity already taken: it is linked to another account', Code.AlreadyExists)
export const identityNotFound = () =>
  new ConnectError('identity not found: it is not linked to your account', Code.NotFound)
export const lastWayToSignIn = () =>
  new ConnectError('this is the last way to sign in: set a password first', Code.FailedPrecondition)
