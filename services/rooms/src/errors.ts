import { Code, ConnectError } from '@connectrpc/connect'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const linkNotFound = () => new ConnectError('sidebar link not found', Code.NotFound)
export const groupNotFound = () => new ConnectError('room group not found', Code.NotFound)
export const tooManyIds = (max: number) => new ConnectError(`at most ${max} ids at once`, Code.InvalidArgument)

export const roomHidden = () => new ConnectError('permission denied: you cannot see this room', Code.PermissionDenied)
export const mayNotCreateRooms = () =>
  new ConnectError('permission denied: creating rooms in this group needs room.create', Code.PermissionDenied)
export const mayNotJoin = () =>
  new ConnectError('permission denied: joining this room needs room.join', Code.PermissionDenied)
export const bannedFromRoom = () =>
  new ConnectError('permission denied: you are banned from this room', Code.PermissionDenied)

export const badRoomName = () =>
  new ConnectError('invalid room name: use 1 to 30 of the characters A-Z, a-z, 0-9, "_" and "-"', Code.InvalidArgument)
export const roomNameTaken = (name: string) =>
  new ConnectError(`room name already taken: "${name}"`, Code.AlreadyExists)

export const dmCannotBeJoined = () => new ConnectError('a direct message cannot be joined', Code.InvalidArgument)
export const roomIsArchived = () => new ConnectError('the room is archived', Code.FailedPrecondition)
export const dmCannotBeLeft = () => new ConnectError('a direct message cannot be left', Code.FailedPrecondition)
export const universalRoomCannotBeLeft = () =>
  new ConnectError('a universal room cannot be left', Code.FailedPrecondition)

export const mayNotManage = () =>
  new ConnectError('permission denied: changing this room needs room.manage', Code.PermissionDenied)
export const dmCannotBeManaged = () => new ConnectError('a direct message cannot be managed', Code.InvalidArgument)
export const emptyUpdate = () =>
  new ConnectError('nothing to update: at least one field is required', Code.InvalidArgument)
export const universalHasNoExplicitMembers = () =>
  new ConnectError('members of a universal room cannot be added or removed', Code.InvalidArgument)
export const userIsBanned = () =>
  new ConnectError('permission denied: the user is banned from this room', Code.PermissionDenied)
export const userNotFound = () => new ConnectError('user not found', Code.NotFound)
export const notAMember = () =>
  new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const memberNotFound = () => new ConnectError('the user is not a member of this room', Code.NotFound)

export const mayNotArrangeGroups = () =>
  new ConnectError('permission denied: arranging room groups needs role.manage', Code.PermissionDenied)
export const mayNotManageGroup = () =>
  new ConnectError(
    'permission denied: arranging rooms and links of this group needs room.manage in it',
    Code.PermissionDenied,
  )
export const badGroupName = () =>
  new ConnectError('invalid room group name: use 1 to 80 characters', Code.InvalidArgument)
export const badLinkLabel = () =>
  new ConnectError('invalid sidebar link label: use 1 to 80 characters', Code.InvalidArgument)
export const badLinkUrl = () =>
  new ConnectError(
    'invalid sidebar link URL: use an http or https URL, or a path that starts with one "/"',
    Code.InvalidArgument,
  )
export const groupNotEmpty = () =>
  new ConnectError('room group not empty: it still has rooms (archived ones count) or links', Code.FailedPrecondition)
export const groupsDoNotMatch = () =>
  new ConnectError('the order must name every room group exactly once; list the groups again', Code.FailedPrecondition)
export const itemsDoNotMatch = () =>
  new ConnectError(
    'the order must name every room and link of the group exactly once; list the group again',
    Code.FailedPrecondition,
  )
export const movedMeanwhile = () =>
  new ConnectError('somebody moved it to another group; list the groups again', Code.FailedPrecondition)

export const badCursor = () => new ConnectError('invalid page cursor', Code.InvalidArgument)
export const mayNotStartDms = () =>
  new ConnectError('permission denied: you may not start direct messages', Code.PermissionDenied)

export const mayNotBan = () =>
  new ConnectError('permission denied: bans in this room need room.ban-member', Code.PermissionDenied)
export const mayNotListBans = () =>
  new ConnectError('permission denied: listing bans needs room.ban-member on the server', Code.PermissionDenied)
export const dmHasNoBans = () => new ConnectError('a direct message has no bans', Code.InvalidArgument)
export const banOfOneself = () => new ConnectError('permission denied: you cannot ban yourself', Code.PermissionDenied)
export const banOfNonMember = () =>
  new ConnectError('permission denied: only a member of the room can be banned from it', Code.PermissionDenied)
export const reasonMissing = () => new ConnectError('reason: must not be blank', Code.InvalidArgument)
export const banEndsInThePast = () => new ConnectError('expires_at must be in the future', Code.InvalidArgument)

export const tooManyReads = () =>
  new ConnectError('too many requests for lists at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })
export const tooBusy = () => new ConnectError('too many changes at once; try again', Code.Unavailable)
/** A repeat of the call stores nothing more, and waits again. */
export const notAppliedYet = () =>
  new ConnectError('the change is stored but not in effect yet; try again', Code.Unavailable)
export const messagingUnavailable = (cause: unknown) =>
  new ConnectError('the state of the rooms is not available; try again', Code.Unavailable, undefined, undefined, cause)
export const adminUnavailable = (cause: unknown) =>
  new ConnectError('permissions cannot be changed now; try again', Code.Unavailable, undefined, undefined, cause)
export const accountsUnavailable = (cause: unknown) =>
  new ConnectError('the profiles of users are not available; try again', Code.Unavailable, undefined, undefined, cause)

export const importedIdMissing = () =>
  new ConnectError('source and external id are required, of at most 200 characters each', Code.InvalidArgument)
export const badDmParticipants = (max: number) =>
  new ConnectError(`a direct message has 1 to ${max} participants`, Code.InvalidArgument)
export const notAChannel = () => new ConnectError('only channels can be changed this way', Code.InvalidArgument)
export const importRaced = () =>
  new ConnectError('another room took the name at the same time; try again', Code.Unavailable)
