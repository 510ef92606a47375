import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Policy } from '@parley/permissions'
import { DirectoryMemberSchema, type DirectoryMember, type User } from '@parley/contracts/api'
import type { UserWithRoles } from '../store/users.ts'
import { roleNamesOf } from './role.ts'

export const toDirectoryMember = (row: UserWithRoles, user: User, policy: Policy): DirectoryMember =>
  create(DirectoryMemberSchema, {
    user,
    roles: roleNamesOf(row.roleIds, policy),
    createdAt: timestampFromDate(row.createdAt),
  })
