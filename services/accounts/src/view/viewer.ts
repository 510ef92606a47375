import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { TimeFormat, ViewerUserSchema, type ViewerUser } from '@parley/contracts/api'
import type { UserWithRoles } from '../store/users.ts'
import { toUser } from './user.ts'

export function toViewerUser(
  user: UserWithRoles,
  facts: { hasVerifiedEmail: boolean; canDelete: boolean },
): ViewerUser {
  return create(ViewerUserSchema, {
    profile: toUser(user),
    hasVerifiedEmail: facts.hasVerifiedEmail,
    hasPassword: user.passwordHash !== null,
    viewerCanDeleteAccount: facts.canDelete,
    settings: {
      ...(user.timezone !== null && { timezone: user.timezone }),
      timeFormat: user.timeFormat ?? TimeFormat.TIME_FORMAT_AUTO,
    },
    ...(user.loginChangedAt && { lastLoginChange: timestampFromDate(user.loginChangedAt) }),
  })
}
