import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsTransferService } from '@parley/contracts/internal'
import { findGroupsAndChannels } from '../../actions/layout/groups-and-channels.ts'
import type { Context } from '../../context.ts'
import { findServerId } from '../../store/imported-rooms.ts'

export function exportLayout(ctx: Context): MethodImpl<typeof RoomsTransferService.method.exportLayout> {
  return async () => {
    const { groups, channels } = await findGroupsAndChannels(ctx)
    return {
      serverId: await findServerId(ctx.db),
      groups: groups.map(({ id, name, description }) => {
        const roomIds = channels.flatMap(({ groupId, roomId }) => (groupId === id ? [roomId] : []))
        return { groupId: id, name, description, roomIds }
      }),
    }
  }
}
