import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingInternalService, RoomEvent } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { looksLikeId } from '../../domain/ids.ts'
import { roomEventBad, tooManyAtOnce } from '../../errors.ts'
import { tellRoom } from '../../line/tell-room.ts'
import { countRoomEvents } from '../../metrics.ts'

const mostEvents = 100
const kinds = /^[a-z_]{1,60}$/

export function applyRoomEvents(ctx: Context): MethodImpl<typeof MessagingInternalService.method.applyRoomEvents> {
  return async ({ roomId, events }, { signal }) => {
    if (events.length > mostEvents) throw tooManyAtOnce('events', mostEvents)
    for (const event of events) if (!isWhole(event)) throw roomEventBad(event.kind)
    countRoomEvents(await tellRoom(ctx, roomId, events, signal))
    return {}
  }
}

const isWhole = ({ aggregateType, aggregateId, eventId, kind, version }: RoomEvent): boolean =>
  (aggregateType === 'call' || aggregateType === 'asset') &&
  looksLikeId(aggregateId) &&
  looksLikeId(eventId) &&
  kinds.test(kind) &&
  version > 0n
