import type { MethodImpl } from '@connectrpc/connect'
import { explain, roomScope, serverScope, type Scope } from '@parley/permissions'
import type { AdminPermissionService } from '@parley/contracts/admin'
import { RoomKind } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { getProfile } from '../../clients/accounts.ts'
import { findRooms } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'
import { cannotExplainOneself, cannotExplainRoom } from '../../errors.ts'
import { assertMay } from '../../policy/server-permission.ts'
import { getCurrentPolicy } from '../../actions/roles/current-policy.ts'
import { toExplanation } from '../../view/explanation.ts'

export function explainPermissions(ctx: Context): MethodImpl<typeof AdminPermissionService.method.explainPermissions> {
  return async ({ userId, roomId }, call) => {
    const caller = callerOf(call)
    const policy = await getCurrentPolicy(ctx)
    assertMay(policy, caller, 'role.manage')
    if (userId === caller.userId) throw cannotExplainOneself()
    const [{ roleIds }, scope] = await Promise.all([getProfile(ctx.accounts, userId), findScope(ctx, roomId)])
    return { explanations: explain(policy, { userId, roleIds }, scope).map(toExplanation) }
  }
}

async function findScope({ rooms }: Context, roomId: string): Promise<Scope> {
  if (roomId === '') return serverScope
  const [room] = await findRooms(rooms, [roomId])
  if (room?.kind !== RoomKind.CHANNEL) throw cannotExplainRoom()
  return roomScope(room)
}
