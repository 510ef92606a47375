import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { newId } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { linkAdded } from '../../domain/layout-event.ts'
import { toLinkLabel, toLinkUrl } from '../../domain/sidebar-link.ts'
import { groupNotFound } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { assertCanManageGroup } from '../../policy/arrangement.ts'
import { groupExists } from '../../store/groups.ts'
import { appendLink } from '../../store/links.ts'

export function createSidebarLink(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.createSidebarLink> {
  return async ({ groupId, label, url }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanManageGroup(ctx.policy.current(), caller, groupId)
    assertAllowed()
    const link = { id: newId('link'), label: toLinkLabel(label), url: toLinkUrl(url) }
    const cause = { actorId: caller.userId, at: ctx.now() }
    const sidebarLink = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      if (!(await groupExists(tx, groupId))) throw groupNotFound()
      await appendLink(tx, link, groupId)
      return { answer: link, groupId, auditEvents: [linkAdded(groupId, link.id)] }
    })
    return { sidebarLink }
  }
}
