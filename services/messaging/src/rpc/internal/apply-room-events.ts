import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { isRoomEvent } from '../../domain/room-event.ts'
import { roomEventBad, tooManyAtOnce } from '../../errors.ts'
import { tellRoom } from '../../actions/room-log/tell-room.ts'
import { countRoomEvents } from '../../metrics.ts'

const mostEvents = 100

export function applyRoomEvents(ctx: Context): MethodImpl<typeof MessagingInternalService.method.applyRoomEvents> {
  return async ({ roomId, events }, { signal }) => {
    if (events.length > mostEvents) throw tooManyAtOnce('events', mostEvents)
    for (const event of events) if (!isRoomEvent(roomId, event)) throw roomEventBad(event.kind)
    countRoomEvents(await tellRoom(ctx, roomId, events, signal))
    return {}
  }
}
