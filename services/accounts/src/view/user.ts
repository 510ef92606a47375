import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { PresenceStatus, UserSchema, type User } from '@parley/contracts/api'
import { PersonSchema, ProfileSchema, type Person, type Profile } from '@parley/contracts/internal'
import type { UserWithRoles } from '../store/users.ts'

const deletedName = 'Deleted User'

const displayNameOf = (user: { login: string; displayName: string | null }): string => user.displayName ?? user.login

export function toUser(user: UserWithRoles): User {
  if (user.deletedAt)
    return create(UserSchema, {
      id: user.id,
      displayName: deletedName,
      deleted: true,
      presenceStatus: PresenceStatus.OFFLINE,
    })
  return create(UserSchema, {
    id: user.id,
    login: user.login,
    displayName: displayNameOf(user),
    presenceStatus: PresenceStatus.OFFLINE,
  })
}

export const toProfile = (user: UserWithRoles): Profile =>
  create(ProfileSchema, { user: toUser(user), roleIds: user.roleIds, createdAt: timestampFromDate(user.createdAt) })

export const toPerson = (user: UserWithRoles): Person =>
  create(PersonSchema, {
    userId: user.id,
    ...(!user.deletedAt && { login: user.login, displayName: displayNameOf(user) }),
    roleIds: user.roleIds,
    deleted: user.deletedAt !== null,
    version: user.version,
  })
