import { Code, ConnectError } from '@connectrpc/connect'

const unavailable = (message: string, cause?: unknown) =>
  new ConnectError(message, Code.Unavailable, undefined, undefined, cause)

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const noActiveCall = () => new ConnectError('there is no active call in this room', Code.NotFound)
export const callsNotConfigured = () =>
  new ConnectError('voice and video calls are not configured', Code.FailedPrecondition)
export const noCallForToken = () =>
  new ConnectError('there is no active call in this room; start one with JoinCall', Code.FailedPrecondition)
export const joiningFailed = () => unavailable('could not join: the call ended in the meantime; try again')
export const accountGone = () => new ConnectError('account not found: it was deleted', Code.Unauthenticated)
export const roomsUnavailable = (cause: unknown) =>
  unavailable('room membership cannot be checked at the moment; try again', cause)
export const accountsUnavailable = (cause: unknown) =>
  unavailable('profiles cannot be loaded at the moment; try again', cause)
