import type { MethodImpl } from '@connectrpc/connect'
import { capabilities, viewerPermissions } from '@parley/permissions'
import type { ViewerService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showUser } from '../../actions/accounts/show-users.ts'
import type { Context } from '../../context.ts'
import { accountGone } from '../../errors.ts'
import { reportIncompleteViewer } from '../../metrics.ts'
import { mayDelete } from '../../policy/administration.ts'
import { findViewer } from '../../store/viewer.ts'
import { toMentionableRoles } from '../../view/role.ts'
import { toViewerUser } from '../../view/viewer.ts'

const options = { timeoutMs: 1_500 }

export function getViewer(ctx: Context): MethodImpl<typeof ViewerService.method.getViewer> {
  return async (_, call) => {
    const caller = callerOf(call)
    const { userId, roleIds } = caller
    const presence = ctx.presence.of([userId])
    const [user, preferences, unread] = await Promise.all([
      findViewer(ctx.db, userId),
      ctx.notifications.getPreferences({ userId }, options).catch(undefinedOnFailure('notifications')),
      ctx.messaging.hasUnread({ userId, roleIds: [...roleIds] }, options).catch(undefinedOnFailure('messaging')),
    ])
    if (!user || user.deletedAt) throw accountGone()
    const policy = ctx.policy.current()
    const permissions = viewerPermissions(policy, caller)
    const profile = await showUser(ctx, user, presence)
    const canDelete = mayDelete(policy, caller, user, user.isLastOwner)
    return {
      user: toViewerUser(user, { profile, hasVerifiedEmail: user.hasVerifiedEmail, canDelete }),
      capabilities: {
        grants: capabilities(policy, caller),
        hasUnreadFollowedThreads: unread?.followedThreads ?? false,
      },
      ...(preferences?.server && { serverNotificationPreference: preferences.server }),
      roomNotificationPreferences: preferences?.rooms ?? [],
      viewerPermissions: { permissions },
      mentionableRoles: toMentionableRoles(policy),
      viewerState: { hasUnreadRooms: unread?.rooms ?? false },
    }
  }
}

function undefinedOnFailure(service: string): (error: unknown) => undefined {
  return (error) => {
    reportIncompleteViewer(service, error)
    return undefined
  }
}
