import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const notAMember = () => new ConnectError('you are not a member of this room', Code.PermissionDenied)
export const roomsSilent = (cause: unknown) =>
  new ConnectError('memberships cannot be looked up now; try again', Code.Unavailable, undefined, undefined, cause)
