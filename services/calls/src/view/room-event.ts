import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RoomEventSchema } from '@parley/contracts/internal'
import { RealtimeCallEventSource } from '@parley/contracts/realtime'
import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import type { Call, CallEvent, Source } from '../domain/call.ts'

const sources: Record<Source, RealtimeCallEventSource> = {
  user: RealtimeCallEventSource.USER,
  livekit: RealtimeCallEventSource.LIVEKIT,
  reconciliation: RealtimeCallEventSource.RECONCILIATION,
}

export function toRoomEvent(
  { row, source, now }: Call,
  { kind, userId, actorId, version }: CallEvent,
): MessageInitShape<typeof RoomEventSchema> {
  const eventId = newId('event')
  const value = { roomId: row.roomId, callId: row.id, source: sources[source] }
  return {
    ...{ aggregateType: 'call', aggregateId: row.id, version, eventId, kind, actorId },
    occurredAt: timestampFromDate(now),
    envelope: encodeRealtimeEnvelope(kind, { id: eventId, createdAt: now, actorId, value }),
    fact: { case: 'call', value: { callId: row.id, userId, source } },
  }
}
