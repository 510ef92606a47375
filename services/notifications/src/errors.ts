import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const roomsSilent = (cause: unknown) =>
  new ConnectError('room membership cannot be checked now; try again', Code.Unavailable, undefined, undefined, cause)
export const accountsSilent = (cause: unknown) =>
  new ConnectError('the session cannot be checked now; try again', Code.Unavailable, undefined, undefined, cause)
export const notificationNotFound = () => new ConnectError('notification not found: it is not pending', Code.NotFound)
export const badCursor = () => new ConnectError('invalid page cursor', Code.InvalidArgument)
