import type { MethodImpl } from '@connectrpc/connect'
import type { MyAccountService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { customStatusFrom } from '../../domain/custom-status.ts'
import { customStatusSet, type Cause } from '../../domain/profile-announcements.ts'
import { accountGone } from '../../errors.ts'
import { changeUser } from '../../store/user-changes.ts'
import { toCustomStatus } from '../../view/custom-status.ts'

export function updateCustomStatus(ctx: Context): MethodImpl<typeof MyAccountService.method.updateCustomStatus> {
  return async (request, call) => {
    const { userId } = callerOf(call)
    const cause: Cause = { actorId: userId, at: ctx.now() }
    const status = customStatusFrom(request, cause.at)
    const set = { statusEmoji: status.emoji, statusText: status.text, statusExpiresAt: status.expiresAt }
    const changed = await changeUser(ctx.db, userId, cause, async () => ({
      set,
      announce: () => [customStatusSet(userId, status, cause)],
    }))
    if (!changed) throw accountGone()
    ctx.relay.wake(changed.unrelayed)
    const stored = toCustomStatus(changed.after, cause.at)
    return { ...(stored && { status: stored }) }
  }
}
