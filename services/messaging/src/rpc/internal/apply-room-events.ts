import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { isRoomEvent } from '../../domain/room-event.ts'
import { roomEventInvalid, tooManyAtOnce } from '../../errors.ts'
import { appendServiceEvents } from '../../actions/room-log/append-service-events.ts'
import { countRoomEvents } from '../../metrics.ts'

const maxEvents = 100

export function applyRoomEvents(ctx: Context): MethodImpl<typeof MessagingInternalService.method.applyRoomEvents> {
  return async ({ roomId, events }, { signal }) => {
    if (events.length > maxEvents) throw tooManyAtOnce('events', maxEvents)
    for (const event of events) if (!isRoomEvent(roomId, event)) throw roomEventInvalid(event.kind)
    countRoomEvents(await appendServiceEvents(ctx, roomId, events, signal))
    return {}
  }
}
