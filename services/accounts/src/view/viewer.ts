import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ViewerUserSchema, type User, type ViewerUser } from '@parley/contracts/api'
import type { UserRow } from '../store/users.ts'
import { toSettings } from './settings.ts'

export function toViewerUser(
  user: UserRow,
  facts: { profile: User; hasVerifiedEmail: boolean; canDelete: boolean },
): ViewerUser {
  return create(ViewerUserSchema, {
    profile: facts.profile,
    hasVerifiedEmail: facts.hasVerifiedEmail,
    hasPassword: user.passwordHash !== null,
    viewerCanDeleteAccount: facts.canDelete,
    settings: toSettings(user),
    ...(user.loginChangedAt && { lastLoginChange: timestampFromDate(user.loginChangedAt) }),
  })
}
