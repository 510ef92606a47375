import type { MethodImpl } from '@connectrpc/connect'
import { AdminRoomLayoutItemKind, type AdminRoomLayoutItem, type AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { itemsReordered, roomsReordered } from '../../domain/layout-event.ts'
import { isReordering, isSameOrder } from '../../domain/reordering.ts'
import { itemsDoNotMatch } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { showGroup } from '../../actions/layout/show-layout.ts'
import { assertCanManageGroup } from '../../policy/arrangement.ts'
import { orderItems } from '../../store/layout.ts'

export function reorderSidebarItemsInGroup(
  ctx: Context,
): MethodImpl<typeof AdminRoomLayoutService.method.reorderSidebarItemsInGroup> {
  return async ({ groupId, items }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanManageGroup(ctx.policy.current(), caller, groupId)
    assertAllowed()
    const cause = { actorId: caller.userId, at: ctx.now() }
    const wanted = items.map(({ kind, id }) => keyOf(kind, id))
    const group = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      const before = await showGroup(tx, ctx.policy.current(), caller, groupId)
      const current = before.items.map(keyOfItem)
      if (!isReordering(current, wanted)) throw itemsDoNotMatch()
      if (isSameOrder(current, wanted)) return { answer: before }
      const ids = items.map(({ id }) => id)
      await orderItems(tx, groupId, ids)
      const roomIds = items.filter(({ kind }) => kind === AdminRoomLayoutItemKind.ROOM).map(({ id }) => id)
      const roomsBefore = before.items.flatMap(({ item }) => (item.case === 'room' ? item.value.id : []))
      const auditEvents = [itemsReordered(groupId, ids)]
      if (!isSameOrder(roomsBefore, roomIds)) auditEvents.push(roomsReordered(groupId, roomIds))
      return { answer: await showGroup(tx, ctx.policy.current(), caller, groupId), groupId, auditEvents }
    })
    return { group }
  }
}

const keyOf = (kind: AdminRoomLayoutItemKind, id: string): string => `${kind} ${id}`

const keyOfItem = ({ item }: AdminRoomLayoutItem): string =>
  item.case === 'room'
    ? keyOf(AdminRoomLayoutItemKind.ROOM, item.value.id)
    : keyOf(AdminRoomLayoutItemKind.SIDEBAR_LINK, item.value?.id ?? '')
