import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findGroups } from '../../store/groups.ts'
import { findChannelsInOrder } from '../../store/layout.ts'
import { findServerId } from '../../store/imported-rooms.ts'

export function exportLayout(ctx: Context): MethodImpl<typeof RoomsTransferService.method.exportLayout> {
  return async () => {
    const [groups, channels] = await Promise.all([findGroups(ctx.db), findChannelsInOrder(ctx.db)])
    return {
      serverId: await findServerId(ctx.db),
      groups: groups.map(({ id, name, description }) => {
        const roomIds = channels.flatMap(({ groupId, roomId }) => (groupId === id ? [roomId] : []))
        return { groupId: id, name, description, roomIds }
      }),
    }
  }
}
