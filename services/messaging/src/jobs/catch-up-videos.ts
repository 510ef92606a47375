import { logger } from '@parley/telemetry'
import type { GetVideoOutcomes } from '../clients/video-outcomes.ts'
import type { Context } from '../context.ts'
import { isRoomEvent } from '../domain/room-event.ts'
import { appendServiceEvents } from '../actions/room-log/append-service-events.ts'
import { findProcessingVideos } from '../store/processing-videos.ts'

const log = logger('videos')

const batchSize = 100

type Needs = Pick<Context, 'pool' | 'writer' | 'now'> & { getVideoOutcomes: GetVideoOutcomes }

/**
 * Asks `uploads` about videos that are still processing five minutes after their message. `uploads` reports each
 * outcome once, and a restored database of messaging may have lost the report.
 */
export async function catchUpVideos(ctx: Needs, signal: AbortSignal): Promise<void> {
  let assetIds = await findProcessingVideos(ctx.pool, '', batchSize)
  while (assetIds.length > 0 && !signal.aborted) {
    for (const { roomId, event } of await ctx.getVideoOutcomes(assetIds, signal)) {
      try {
        if (isRoomEvent(roomId, event)) await appendServiceEvents(ctx, roomId, [event], signal)
      } catch (error) {
        log.warn(
          { err: error, room: roomId },
          'the outcome of a video could not be applied; it will be requested again',
        )
      }
    }
    assetIds = await findProcessingVideos(ctx.pool, assetIds.at(-1) ?? '', batchSize)
  }
}
