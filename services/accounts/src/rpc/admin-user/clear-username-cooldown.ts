import type { MethodImpl } from '@connectrpc/connect'
import type { AdminUserService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import { avatarUrl } from '../../actions/accounts/avatar-url.ts'
import type { Context } from '../../context.ts'
import { auditEvent } from '../../domain/announcements.ts'
import { profileUpdated, type Cause } from '../../domain/profile-announcements.ts'
import { userNotFound } from '../../errors.ts'
import { assertMayManage, assertOwnerIfTargetIsOwner } from '../../policy/administration.ts'
import { changeUser } from '../../store/user-changes.ts'

export function clearUsernameCooldown(ctx: Context): MethodImpl<typeof AdminUserService.method.clearUsernameCooldown> {
  return async ({ userId }, call) => {
    const caller = callerOf(call)
    assertMayManage(ctx.policy.current(), caller, userId)
    const cause: Cause = { actorId: caller.userId, at: ctx.now() }
    const changed = await changeUser(ctx.db, userId, cause, async (_, user) => {
      assertOwnerIfTargetIsOwner(caller, user)
      if (user.cooldownFrom === null) return undefined
      // Announced as for other changes of an account, although the profile itself does not change.
      const updated = profileUpdated(user, avatarUrl(ctx, user.avatarKey), cause)
      return { set: { cooldownFrom: null }, announce: () => [updated, auditEvent('user_login_cooldown_cleared')] }
    })
    if (!changed) throw userNotFound()
    ctx.relay.wake(changed.unrelayed)
    return { cleared: true }
  }
}
