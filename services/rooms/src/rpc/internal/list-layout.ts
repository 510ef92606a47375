import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { findGroupsAndChannels } from '../../actions/layout/groups-and-channels.ts'
import type { Context } from '../../context.ts'
import { toLayout } from '../../view/layout.ts'

export function listLayout(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listLayout> {
  return async () => {
    const { groups, channels } = await findGroupsAndChannels(ctx)
    return { groups: toLayout(groups, channels) }
  }
}
