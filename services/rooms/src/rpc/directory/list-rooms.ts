import type { MethodImpl } from '@connectrpc/connect'
import { RoomDirectoryScope, RoomKind, type RoomDirectoryService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { loadVisibleRooms } from '../../actions/directory/load-visible-rooms.ts'
import type { Context } from '../../context.ts'
import { dmsWithMessages } from '../../domain/dm-order.ts'
import { findActiveChannels, findActiveChannelsAndDms, findDms } from '../../store/room-list.ts'
import { toRoomWithViewerState } from '../../view/room.ts'

const finderFor = (scope: RoomDirectoryScope) => {
  if (scope === RoomDirectoryScope.DMS) return findDms
  return scope === RoomDirectoryScope.CHANNELS ? findActiveChannels : findActiveChannelsAndDms
}

export function listRooms(ctx: Context): MethodImpl<typeof RoomDirectoryService.method.listRooms> {
  return async ({ scope }, call) => {
    const caller = callerOf(call)
    const found = await finderFor(scope)(ctx.pool, caller.userId)
    const { visible, states, viewer } = await loadVisibleRooms(ctx, caller, found)
    const isDm = ({ room }: (typeof visible)[number]) => room.kind === RoomKind.DM
    const shown = [...visible.filter((seen) => !isDm(seen)), ...dmsWithMessages(visible.filter(isDm), states)]
    return { rooms: shown.map((seen) => toRoomWithViewerState(seen, viewer)) }
  }
}
