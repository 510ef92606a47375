import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { channelsByGroup } from '../../actions/layout/channels-by-group.ts'
import type { Context } from '../../context.ts'
import { toLayout } from '../../view/layout.ts'

export function listLayout(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listLayout> {
  return async () => {
    const { groups, channels } = await channelsByGroup(ctx)
    return { groups: toLayout(groups, channels) }
  }
}
