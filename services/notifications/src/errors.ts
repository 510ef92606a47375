import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const roomsSilent = (cause: unknown) =>
  new ConnectError('memberships cannot be looked up now; try again', Code.Unavailable, undefined, undefined, cause)
export const accountsSilent = (cause: unknown) =>
  new ConnectError('your session cannot be looked up now; try again', Code.Unavailable, undefined, undefined, cause)
export const notificationNotFound = () => new ConnectError('no such notification is pending', Code.NotFound)
export const badCursor = () => new ConnectError('invalid page cursor', Code.InvalidArgument)
