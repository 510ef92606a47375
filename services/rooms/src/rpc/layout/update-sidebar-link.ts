import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { linkUpdated } from '../../domain/layout-event.ts'
import { toLinkLabel, toLinkUrl } from '../../domain/sidebar-link.ts'
import { emptyUpdate } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { assertCanManageGroup } from '../../policy/arrangement.ts'
import { getLink, updateLink } from '../../store/links.ts'

export function updateSidebarLink(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.updateSidebarLink> {
  return async ({ linkId, ...fields }, call) => {
    const caller = callerOf(call)
    const assertCanManage = (groupId: string) => assertCanManageGroup(ctx.policy.current(), caller, groupId)
    assertCanManage((await getLink(ctx.db, linkId)).groupId)
    if (fields.label === undefined && fields.url === undefined) throw emptyUpdate()
    const changes = {
      ...(fields.label !== undefined && { label: toLinkLabel(fields.label) }),
      ...(fields.url !== undefined && { url: toLinkUrl(fields.url) }),
    }
    const cause = { actorId: caller.userId, at: ctx.now() }
    const sidebarLink = await changeLayout(ctx, cause, call, async (tx) => {
      const { link: before, groupId } = await getLink(tx, linkId)
      assertCanManage(groupId)
      const link = { ...before, ...changes }
      if (link.label === before.label && link.url === before.url) return { answer: link }
      await updateLink(tx, link)
      return { answer: link, groupId, auditEvents: [linkUpdated(groupId, linkId)] }
    })
    return { sidebarLink }
  }
}
