import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { newId } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { toGroupName } from '../../domain/group-name.ts'
import { groupCreated } from '../../domain/layout-event.ts'
import { changeLayout } from '../../actions/layout/change-layout.ts'
import { showGroup } from '../../actions/layout/show-layout.ts'
import { assertCanArrangeGroups } from '../../policy/arrangement.ts'
import { appendGroup } from '../../store/groups.ts'

export function createRoomGroup(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.createRoomGroup> {
  return async ({ name: untrimmed, description }, call) => {
    const caller = callerOf(call)
    const assertAllowed = () => assertCanArrangeGroups(ctx.policy.current(), caller)
    assertAllowed()
    const name = toGroupName(untrimmed)
    const cause = { actorId: caller.userId, at: ctx.now() }
    const id = newId('group')
    const group = await changeLayout(ctx, cause, call, async (tx) => {
      assertAllowed()
      await appendGroup(tx, { id, name, description, createdAt: cause.at })
      return {
        answer: await showGroup(tx, ctx.policy.current(), caller, id),
        groupId: id,
        auditEvents: [groupCreated(id)],
      }
    })
    return { group }
  }
}
