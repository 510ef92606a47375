import type { MethodImpl } from '@connectrpc/connect'
import type { AdminRoomLayoutService } from '@parley/contracts/admin'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { showLayout } from '../../actions/layout/show-layout.ts'
import { assertCanArrangeGroups } from '../../policy/arrangement.ts'

/** All is read in one snapshot, so that an item that moves is neither missing nor shown twice. */
const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const

export function listRoomGroups(ctx: Context): MethodImpl<typeof AdminRoomLayoutService.method.listRoomGroups> {
  return async (_req, call) => {
    const caller = callerOf(call)
    const policy = ctx.policy.current()
    assertCanArrangeGroups(policy, caller)
    return { groups: await ctx.db.transaction((tx) => showLayout(tx, policy, caller), snapshot) }
  }
}
