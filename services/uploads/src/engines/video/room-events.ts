import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { RoomEventSchema, VideoStateSchema } from '@parley/contracts/internal'
import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import { initialState, type QueuedVideo } from '../../store/video-jobs.ts'

type RoomEventInit = MessageInitShape<typeof RoomEventSchema>
type StateInit = MessageInitShape<typeof VideoStateSchema>

export const processingStarted = (video: QueuedVideo, now: Date): RoomEventInit =>
  toRoomEvent('asset_processing_started', video, { version: 1n, state: initialState, now })

/**
 * `version`: from `endJob`, which takes it from the clock. After a restore of the database of uploads a video is
 * processed again, and the new result must replace the earlier one, whose files are lost.
 */
export const processingEnded = (
  video: QueuedVideo,
  state: StateInit,
  { version, now }: { version: bigint; now: Date },
): RoomEventInit =>
  toRoomEvent(state.status === 'completed' ? 'asset_processing_succeeded' : 'asset_processing_failed', video, {
    ...{ version, state, now },
  })

type Kind = 'asset_processing_started' | 'asset_processing_succeeded' | 'asset_processing_failed'

function toRoomEvent(
  kind: Kind,
  { roomId, assetId, messageEventId }: QueuedVideo,
  { version, state, now }: { version: bigint; state: StateInit; now: Date },
): RoomEventInit {
  const eventId = newId('event')
  return {
    ...{ aggregateType: 'asset', aggregateId: assetId, version, eventId, kind },
    occurredAt: timestampFromDate(now),
    envelope: encodeRealtimeEnvelope(kind, { id: eventId, createdAt: now, value: { roomId, assetId, messageEventId } }),
    fact: { case: 'assetProcessing', value: { assetId, messageEventId, video: state } },
  }
}
