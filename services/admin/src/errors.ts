import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/permissions'

export const roleNotFound = (name: string) => new ConnectError(`role not found: "${name}"`, Code.NotFound)
export const roleNameTaken = (name: string) =>
  new ConnectError(`role name already taken: "${name}" is a role or a login, or reserved`, Code.AlreadyExists)
export const badRoleName = () =>
  new ConnectError(
    'invalid role name: use 1 to 32 of the characters a-z, 0-9 and "-", beginning with a letter and not ending with "-"',
    Code.InvalidArgument,
  )
export const badRoleText = (field: string) =>
  new ConnectError(`${field} contains control characters that are not allowed`, Code.InvalidArgument)
export const tooManyRoles = (max: number) =>
  new ConnectError(`a server has at most ${max} custom roles`, Code.ResourceExhausted)
export const systemRoleNotDeletable = (name: string) =>
  new ConnectError(`"${name}" is a system role and cannot be deleted`, Code.FailedPrecondition)
export const badRoleOrder = (why: string) =>
  new ConnectError(`invalid order of the custom roles: ${why}`, Code.InvalidArgument)
export const reservationExpired = () => new ConnectError('creating the role took too long; try again', Code.Unavailable)

export const userNotFound = () => new ConnectError('user not found', Code.NotFound)
export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const groupNotFound = () => new ConnectError('room group not found', Code.NotFound)
export const cannotExplainOneself = () =>
  new ConnectError('permission denied: you cannot have your own permissions explained', Code.PermissionDenied)
export const cannotExplainRoom = () =>
  new ConnectError('permission denied: permissions in this room cannot be explained', Code.PermissionDenied)
export const serviceUnavailable = (service: string, cause: unknown) =>
  new ConnectError(`the service ${service} does not answer; try again`, Code.Unavailable, undefined, undefined, cause)

export const badScope = (why: string) => new ConnectError(`invalid scope: ${why}`, Code.InvalidArgument)
export const unknownPermission = (permission: string) =>
  new ConnectError(`unknown permission "${permission}"`, Code.InvalidArgument)
export const notDecidableAt = (permission: string, kind: string) =>
  new ConnectError(`${permission} cannot be decided for a ${kind}`, Code.InvalidArgument)
export const ownerHasNoDecisions = () =>
  new ConnectError('the role owner has no permission decisions: owners are allowed everything', Code.InvalidArgument)

export const permissionRequired = (permission: Permission) =>
  new ConnectError(`permission denied: this needs ${permission}`, Code.PermissionDenied)
export const onlyOwners = () => new ConnectError('permission denied: only owners may see this', Code.PermissionDenied)

export const emptyUpdate = () =>
  new ConnectError('nothing to update: at least one field is required', Code.InvalidArgument)
export const textTooLong = (field: string, bytes: number) =>
  new ConnectError(`${field} is longer than ${bytes} bytes`, Code.InvalidArgument)
export const imageMissing = () =>
  new ConnectError('image required: the request contains no image', Code.InvalidArgument)

export const blockedUsernameTooLong = (characters: number) =>
  new ConnectError(`blocked username too long: at most ${characters} characters`, Code.InvalidArgument)
export const blockedUsernamesTooLarge = (bytes: number) =>
  new ConnectError(`too many blocked usernames: at most ${bytes} bytes in all`, Code.InvalidArgument)

export const entryNotFound = () => new ConnectError('audit log entry not found', Code.NotFound)
export const badSequence = () =>
  new ConnectError('invalid sequence: a decimal number is required', Code.InvalidArgument)
export const timesReversed = () => new ConnectError('created_at_from is after created_at_to', Code.InvalidArgument)
export const tooManyLogins = (max: number) => new ConnectError(`at most ${max} logins at once`, Code.InvalidArgument)
