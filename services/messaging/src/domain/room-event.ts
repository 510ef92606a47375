import { fromBinary } from '@bufbuild/protobuf'
import type { RoomEvent } from '@parley/contracts/internal'
import { RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { looksLikeId } from './ids.ts'

/** The kinds of events that other services may hand over, by aggregate type. */
const kinds: Record<string, readonly string[]> = {
  call: ['call_started', 'call_participant_joined', 'call_participant_left', 'call_ended'],
  asset: ['asset_processing_started', 'asset_processing_succeeded', 'asset_processing_failed'],
}
const factCases: Record<string, RoomEvent['fact']['case']> = { call: 'call', asset: 'assetProcessing' }

/**
 * Whether messaging accepts the event. If it contains a client event, that event must have the same id and kind, and be
 * about this room.
 */
export function isRoomEvent(roomId: string, event: RoomEvent): boolean {
  const { aggregateType, aggregateId, eventId, kind, version, fact, envelope } = event
  if (!kinds[aggregateType]?.includes(kind)) return false
  if (!looksLikeId(aggregateId) || !looksLikeId(eventId) || version === 0n) return false
  if (fact.case !== undefined && fact.case !== factCases[aggregateType]) return false
  return envelope.length === 0 || matches(envelope, { roomId, eventId, kind })
}

function matches(
  bytes: Uint8Array,
  { roomId, eventId, kind }: { roomId: string; eventId: string; kind: string },
): boolean {
  try {
    const { id, event } = fromBinary(RealtimeEventEnvelopeSchema, bytes)
    if (id !== eventId || event.case === undefined) return false
    if (event.case.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) !== kind) return false
    return 'roomId' in event.value && event.value.roomId === roomId
  } catch {
    return false
  }
}
