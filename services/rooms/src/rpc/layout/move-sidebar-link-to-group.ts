import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { linkAdded, linkRemoved } from '../../domain/layout-event.ts'
import { groupNotFound } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { decideMove } from '../../policy/arrangement.ts'
import { groupExists } from '../../store/groups.ts'
import { moveItem } from '../../store/layout.ts'
import { getLink } from '../../store/links.ts'

export function moveSidebarLinkToGroup(
  ctx: Context,
): MethodImpl<typeof AdminRoomLayoutService.method.moveSidebarLinkToGroup> {
  return async ({ linkId, groupId }, call) => {
    const caller = callerOf(call)
    const { link, groupId: originId } = await getLink(ctx.db, linkId)
    const decide = (current: string) => decideMove(ctx.policy.current(), caller, current, { originId, groupId })
    if (decide(originId) === 'nothing') return { sidebarLink: link }
    const cause = { actorId: caller.userId, at: ctx.now() }
    const sidebarLink = await changeLayout(ctx, cause, call, async (tx) => {
      const { link, groupId: current } = await getLink(tx, linkId)
      if (decide(current) === 'nothing') return { answer: link }
      if (!(await groupExists(tx, groupId))) throw groupNotFound()
      await moveItem(tx, linkId, groupId)
      return { answer: link, groupId, auditEvents: [linkRemoved(current, linkId), linkAdded(groupId, linkId)] }
    })
    return { sidebarLink }
  }
}
