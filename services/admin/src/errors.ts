import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/auth'

export const roleNotFound = (name: string) => new ConnectError(`there is no role "${name}"`, Code.NotFound)

export const lacksPermission = (permission: Permission) =>
  new ConnectError(`you lack the permission ${permission}`, Code.PermissionDenied)
export const onlyOwners = () => new ConnectError('only owners may see this', Code.PermissionDenied)

export const emptyUpdate = () => new ConnectError('an update names at least one field', Code.InvalidArgument)
export const textTooLong = (field: string, bytes: number) =>
  new ConnectError(`${field} is longer than ${bytes} bytes`, Code.InvalidArgument)
export const imageMissing = () => new ConnectError('the request holds no image', Code.InvalidArgument)

export const blockedUsernameTooLong = (characters: number) =>
  new ConnectError(`a blocked username has at most ${characters} characters`, Code.InvalidArgument)
export const blockedUsernamesTooLarge = (bytes: number) =>
  new ConnectError(`the blocked usernames have at most ${bytes} bytes in all`, Code.InvalidArgument)

export const entryNotFound = () => new ConnectError('there is no such entry in the audit log', Code.NotFound)
export const badSequence = () => new ConnectError('a sequence is a decimal number', Code.InvalidArgument)
export const timesReversed = () => new ConnectError('created_at_from is after created_at_to', Code.InvalidArgument)
