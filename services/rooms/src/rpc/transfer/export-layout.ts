import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findGroups } from '../../store/groups.ts'
import { findServerId } from '../../store/imported-rooms.ts'

export function exportLayout(ctx: Context): MethodImpl<typeof RoomsTransferService.method.exportLayout> {
  return async () => {
    const groups = await findGroups(ctx.db)
    return {
      serverId: await findServerId(ctx.db),
      groups: groups.map(({ id, name, description }) => ({ groupId: id, name, description })),
    }
  }
}
