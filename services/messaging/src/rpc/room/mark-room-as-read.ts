import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { RoomService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { laterDate, nextMarker } from '../../domain/marker.ts'
import { accountDeleted, readTargetNotInRoom, roomNotFound } from '../../errors.ts'
import { assertMayRead } from '../../policy/room-access.ts'
import { changeReader } from '../../actions/reading/change-reader.ts'
import { moveRoomMarker } from '../../store/markers.ts'
import { findPlacesInRoom } from '../../store/read-places.ts'
import { toRoomReadEvent } from '../../view/reader-events.ts'

export function markRoomAsRead(ctx: Context): MethodImpl<typeof RoomService.method.markRoomAsRead> {
  return async ({ roomId, upToEventId }, call) => {
    const caller = callerOf(call)
    const { userId } = caller
    if (upToEventId && !looksLikeId(upToEventId)) throw readTargetNotInRoom()
    const found = looksLikeId(roomId) ? await findPlacesInRoom(ctx.pool, roomId, userId, upToEventId) : undefined
    if (!found) throw roomNotFound()
    if (found.erased) throw accountDeleted()
    assertMayRead(ctx.policy(), caller, found.room, found.standing)
    const { read: target, marker } = found
    if (upToEventId && !target) throw readTargetNotInRoom()
    const to = nextMarker(target, marker)
    if (to) {
      await changeReader(
        ctx,
        userId,
        (on, change) => moveRoomMarker(on, change, roomId, to),
        (change) => toRoomReadEvent(change, roomId, to.seq),
      )
    }
    const lastReadAt = laterDate(marker?.at, to?.at)
    return {
      ...(lastReadAt && { lastReadAt: timestampFromDate(lastReadAt) }),
      ...(marker && { previousLastReadAt: timestampFromDate(marker.at) }),
    }
  }
}
