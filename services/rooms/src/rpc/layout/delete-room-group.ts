import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { groupDeleted } from '../../domain/layout-event.ts'
import { groupNotEmpty, groupNotFound } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { assertCanArrangeGroups } from '../../policy/arrangement.ts'
import { deleteGroup, groupExists, isGroupEmpty } from '../../store/groups.ts'

export function deleteRoomGroup(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.deleteRoomGroup> {
  return async ({ groupId }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanArrangeGroups(ctx.policy.current(), caller)
    assertAllowed()
    const cause = { actorId: caller.userId, at: ctx.now() }
    const deleted = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      if (!(await groupExists(tx, groupId))) throw groupNotFound()
      if (!(await isGroupEmpty(tx, groupId))) throw groupNotEmpty()
      await deleteGroup(tx, groupId)
      return { answer: true, groupId, auditEvents: [groupDeleted(groupId)] }
    })
    return { deleted }
  }
}
