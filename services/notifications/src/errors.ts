import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const roomsUnavailable = (cause: unknown) =>
  new ConnectError(
    'room membership cannot be checked at the moment; try again',
    Code.Unavailable,
    undefined,
    undefined,
    cause,
  )
export const accountsUnavailable = (cause: unknown) =>
  new ConnectError(
    'the session cannot be checked at the moment; try again',
    Code.Unavailable,
    undefined,
    undefined,
    cause,
  )
export const notificationNotFound = () =>
  new ConnectError('notification not found: it does not exist or was dismissed', Code.NotFound)
export const badCursor = () => new ConnectError('invalid page cursor', Code.InvalidArgument)
