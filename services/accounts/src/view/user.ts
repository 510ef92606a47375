import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { PresenceStatus, UserSchema, type User } from '@parley/contracts/api'
import { PersonSchema, ProfileSchema, type Person, type Profile } from '@parley/contracts/internal'
import type { UserRow, UserWithRoles } from '../store/users.ts'
import { toCustomStatus } from './custom-status.ts'

const deletedName = 'Deleted User'

export const displayNameOf = (user: { login: string; displayName: string | null }): string =>
  user.displayName ?? user.login

type Details = { presence: PresenceStatus | undefined; avatarUrl: string | undefined; now: Date }

export function toUser(user: UserRow, { presence, avatarUrl, now }: Details): User {
  if (user.deletedAt)
    return create(UserSchema, {
      id: user.id,
      displayName: deletedName,
      deleted: true,
      presenceStatus: PresenceStatus.OFFLINE,
    })
  const customStatus = toCustomStatus(user, now)
  return create(UserSchema, {
    id: user.id,
    login: user.login,
    displayName: displayNameOf(user),
    presenceStatus: presence ?? PresenceStatus.OFFLINE,
    ...(avatarUrl !== undefined && { avatarUrl }),
    ...(customStatus && { customStatus }),
  })
}

export const toProfile = (row: UserWithRoles, user: User): Profile =>
  create(ProfileSchema, {
    user,
    roleIds: row.roleIds,
    createdAt: timestampFromDate(row.createdAt),
    deactivated: row.deactivatedAt !== null,
  })

export const toPerson = (user: UserWithRoles): Person =>
  create(PersonSchema, {
    userId: user.id,
    ...(!user.deletedAt && { login: user.login, displayName: displayNameOf(user) }),
    roleIds: user.roleIds,
    deleted: user.deletedAt !== null,
    version: user.version,
    avatarKey: user.avatarKey ?? '',
  })
