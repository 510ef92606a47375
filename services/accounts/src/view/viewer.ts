import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ViewerUserSchema, type User, type ViewerUser } from '@parley/contracts/api'
import type { UserRow } from '../store/users.ts'
import { toSettings } from './settings.ts'

export function toViewerUser(
  user: UserRow,
  details: { profile: User; hasVerifiedEmail: boolean; canDelete: boolean },
): ViewerUser {
  return create(ViewerUserSchema, {
    profile: details.profile,
    hasVerifiedEmail: details.hasVerifiedEmail,
    hasPassword: user.passwordHash !== null,
    viewerCanDeleteAccount: details.canDelete,
    settings: toSettings(user),
    ...(user.loginChangedAt && { lastLoginChange: timestampFromDate(user.loginChangedAt) }),
  })
}
