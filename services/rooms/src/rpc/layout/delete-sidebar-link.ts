import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { linkRemoved } from '../../domain/layout-event.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { assertCanManageGroup } from '../../policy/arrangement.ts'
import { deleteLink, getLink } from '../../store/links.ts'

export function deleteSidebarLink(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.deleteSidebarLink> {
  return async ({ linkId }, call) => {
    const caller = callerOf(call)
    const assertCanManage = (groupId: string) => assertCanManageGroup(ctx.policy.current(), caller, groupId)
    assertCanManage((await getLink(ctx.db, linkId)).groupId)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const deleted = await changeLayout(ctx, cause, call, async (tx) => {
      const { groupId } = await getLink(tx, linkId)
      assertCanManage(groupId)
      await deleteLink(tx, linkId)
      return { answer: true, groupId, auditEvents: [linkRemoved(groupId, linkId)] }
    })
    return { deleted }
  }
}
