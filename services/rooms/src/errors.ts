import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const groupNotFound = () => new ConnectError('room group not found', Code.NotFound)

export const roomHidden = () => new ConnectError('you cannot see this room', Code.PermissionDenied)
export const mayNotCreateRooms = () =>
  new ConnectError('creating rooms in this group needs room.create', Code.PermissionDenied)
export const mayNotJoin = () => new ConnectError('joining this room needs room.join', Code.PermissionDenied)
export const bannedFromRoom = () => new ConnectError('you are banned from this room', Code.PermissionDenied)

export const badRoomName = () =>
  new ConnectError('a room name has 1 to 30 of the characters A-Z, a-z, 0-9, "_" and "-"', Code.InvalidArgument)
export const roomNameTaken = (name: string) =>
  new ConnectError(`a room named "${name}" exists already`, Code.AlreadyExists)

export const dmCannotBeJoined = () => new ConnectError('a direct message cannot be joined', Code.InvalidArgument)
export const archivedRoom = () => new ConnectError('the room is archived', Code.FailedPrecondition)
export const dmCannotBeLeft = () => new ConnectError('a direct message cannot be left', Code.FailedPrecondition)
export const universalRoomCannotBeLeft = () =>
  new ConnectError('a universal room cannot be left', Code.FailedPrecondition)

export const keyOfAnotherRequest = () =>
  new ConnectError('this Idempotency-Key was used with another request', Code.InvalidArgument)
export const keyInUse = () =>
  new ConnectError('a call with this Idempotency-Key is under way; try again', Code.Unavailable)

export const tooBusy = () => new ConnectError('too many changes of this room at once; try again', Code.Unavailable)
/** The change is stored; a repeat of the call waits for the same version and succeeds. */
export const notAppliedYet = () =>
  new ConnectError('the change is stored but not in effect yet; try again', Code.Unavailable)
export const messagingSilent = (cause: unknown) =>
  new ConnectError('the state of the rooms is not available; try again', Code.Unavailable, undefined, undefined, cause)
export const adminSilent = (cause: unknown) =>
  new ConnectError('permissions cannot be changed now; try again', Code.Unavailable, undefined, undefined, cause)
export const accountsSilent = (cause: unknown) =>
  new ConnectError('accounts are not available; try again', Code.Unavailable, undefined, undefined, cause)
