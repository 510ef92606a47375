import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Policy } from '@parley/permissions'
import { AdminMemberSchema, type AdminMember } from '@parley/contracts/admin'
import type { User } from '@parley/contracts/api'
import type { UserWithRoles } from '../store/users.ts'
import { roleNamesOf } from './role.ts'

type ViewerRights = {
  policy: Policy
  addresses: readonly string[] | undefined
  maySeeLoginChange: boolean
  canDelete: boolean
  canDeactivate: boolean
}

export function toAdminMember(row: UserWithRoles, user: User, rights: ViewerRights): AdminMember {
  const { policy, addresses = [], maySeeLoginChange, canDelete, canDeactivate } = rights
  return create(AdminMemberSchema, {
    user,
    roles: roleNamesOf(row.roleIds, policy),
    createdAt: timestampFromDate(row.createdAt),
    hasVerifiedEmail: addresses.length > 0,
    verifiedEmails: [...addresses],
    viewerCanDeleteAccount: canDelete,
    viewerCanDeactivate: canDeactivate,
    ...(row.deactivatedAt && { deactivatedAt: timestampFromDate(row.deactivatedAt) }),
    ...(maySeeLoginChange && row.loginChangedAt && { lastLoginChange: timestampFromDate(row.loginChangedAt) }),
  })
}
