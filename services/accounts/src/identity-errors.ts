import { Code, ConnectError } from '@connectrpc/connect'

export const providerNotFound = (id: string) => new ConnectError(`there is no sign-in provider "${id}"`, Code.NotFound)
export const providerUnavailable = (label: string) =>
  new ConnectError(`the sign-in provider "${label}" cannot be used at the moment; try again later`, Code.Unavailable)
export const browserHandleMissing = () => new ConnectError('the browser has no handle', Code.InvalidArgument)
export const linkStartNotYours = () =>
  new ConnectError('sign in with the account that is to be linked, and start anew', Code.Unauthenticated)
export const notInternalPath = () =>
  new ConnectError('the redirect path must be a path of this server', Code.InvalidArgument)
export const flowNotFound = () =>
  new ConnectError('the sign-in has expired or is done; start it anew at the provider', Code.NotFound)
export const wrongFlow = () => new ConnectError('the token is for another step', Code.InvalidArgument)
export const identityTaken = () => new ConnectError('the identity is linked to another account', Code.AlreadyExists)
export const identityNotFound = () => new ConnectError('no such identity is linked to the account', Code.NotFound)
export const lastWayToSignIn = () =>
  new ConnectError('it is the last way to sign in; set a password first', Code.FailedPrecondition)
