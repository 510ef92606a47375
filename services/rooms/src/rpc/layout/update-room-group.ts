import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { toGroupName } from '../../domain/group-name.ts'
import { groupUpdated } from '../../domain/layout-event.ts'
import { emptyUpdate } from '../../errors.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { showGroup } from '../../actions/layout/show-layout.ts'
import { assertCanArrangeGroups } from '../../policy/arrangement.ts'
import { updateGroup } from '../../store/groups.ts'

export function updateRoomGroup(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.updateRoomGroup> {
  return async ({ groupId, ...wanted }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanArrangeGroups(ctx.policy.current(), caller)
    assertAllowed()
    if (wanted.name === undefined && wanted.description === undefined) throw emptyUpdate()
    const newName = wanted.name === undefined ? undefined : toGroupName(wanted.name)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const group = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      const before = await showGroup(tx, ctx.policy.current(), caller, groupId)
      const { name, description } = {
        name: newName ?? before.name,
        description: wanted.description ?? before.description,
      }
      if (name === before.name && description === before.description) return { answer: before }
      await updateGroup(tx, groupId, { name, description })
      return { answer: { ...before, name, description }, groupId, auditEvents: [groupUpdated(groupId)] }
    })
    return { group }
  }
}
