import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Policy } from '@parley/permissions'
import { AdminMemberSchema, type AdminMember } from '@parley/contracts/admin'
import type { User } from '@parley/contracts/api'
import type { UserWithRoles } from '../store/users.ts'
import { roleNamesOf } from './role.ts'

/** Details of an account that only this viewer may see. */
type Shown = {
  policy: Policy
  /** Undefined if this viewer may not see it. */
  addresses: readonly string[] | undefined
  showsLoginChange: boolean
  canDelete: boolean
  canDeactivate: boolean
}

export function toAdminMember(row: UserWithRoles, user: User, shown: Shown): AdminMember {
  const { policy, addresses = [], showsLoginChange, canDelete, canDeactivate } = shown
  return create(AdminMemberSchema, {
    user,
    roles: roleNamesOf(row.roleIds, policy),
    createdAt: timestampFromDate(row.createdAt),
    hasVerifiedEmail: addresses.length > 0,
    verifiedEmails: [...addresses],
    viewerCanDeleteAccount: canDelete,
    viewerCanDeactivate: canDeactivate,
    ...(row.deactivatedAt && { deactivatedAt: timestampFromDate(row.deactivatedAt) }),
    ...(showsLoginChange && row.loginChangedAt && { lastLoginChange: timestampFromDate(row.loginChangedAt) }),
  })
}
