import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { ThreadService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { nextMarker } from '../../domain/marker.ts'
import { readTargetNotInThread } from '../../errors.ts'
import { changeReader } from '../../actions/reading/change-reader.ts'
import { getThreadPlaces } from '../../actions/reading/get-thread-places.ts'
import { moveThreadMarker } from '../../store/markers.ts'
import { toThreadReadEvent } from '../../view/reader-events.ts'

export function markThreadAsRead(ctx: Context): MethodImpl<typeof ThreadService.method.markThreadAsRead> {
  return async ({ roomId, threadRootEventId, upToEventId }, call) => {
    const caller = callerOf(call)
    const { userId } = caller
    if (upToEventId && !looksLikeId(upToEventId)) throw readTargetNotInThread()
    const thread = { roomId, rootEventId: threadRootEventId }
    const { read: target, marker } = await getThreadPlaces(ctx, caller, thread, upToEventId)
    if (upToEventId && !target) throw readTargetNotInThread()
    const to = nextMarker(target, marker)
    if (to) {
      await changeReader(
        ctx,
        userId,
        (on, change) => moveThreadMarker(on, change, thread, to),
        (change) => toThreadReadEvent(change, thread, to.seq),
      )
    }
    return marker ? { previousReadAt: timestampFromDate(marker.at) } : {}
  }
}
