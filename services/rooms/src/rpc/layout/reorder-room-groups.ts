import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { groupsReordered } from '../../domain/layout-event.ts'
import { isReordering, isSameOrder } from '../../domain/reordering.ts'
import { groupsDoNotMatch } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { showLayout } from '../../actions/layout/show-layout.ts'
import { assertCanArrangeGroups } from '../../policy/arrangement.ts'
import { findGroups, orderGroups } from '../../store/groups.ts'

export function reorderRoomGroups(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.reorderRoomGroups> {
  return async ({ orderedGroupIds: wanted }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanArrangeGroups(ctx.policy.current(), caller)
    assertAllowed()
    const cause = { actorId: caller.userId, at: ctx.now() }
    const groups = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      const current = (await findGroups(tx)).map(({ id }) => id)
      if (!isReordering(current, wanted)) throw groupsDoNotMatch()
      const same = isSameOrder(current, wanted)
      if (!same) await orderGroups(tx, wanted)
      return {
        answer: await showLayout(tx, ctx.policy.current(), caller),
        auditEvents: same ? [] : [groupsReordered(wanted)],
      }
    })
    return { groups }
  }
}
