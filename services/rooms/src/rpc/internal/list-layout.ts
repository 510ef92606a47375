import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findGroups } from '../../store/groups.ts'
import { findChannelsInOrder } from '../../store/layout.ts'
import { toLayout } from '../../view/layout.ts'

export function listLayout(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listLayout> {
  return async () => {
    const [groups, channels] = await Promise.all([findGroups(ctx.db), findChannelsInOrder(ctx.db)])
    return { groups: toLayout(groups, channels) }
  }
}
