import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyVideoIds } from '../../errors.ts'
import { findVideoOutcomes } from '../../store/video-jobs.ts'
import { processingEnded } from '../../engines/video/index.ts'

const maxPerCall = 100

export function getVideoOutcomes(ctx: Context): MethodImpl<typeof UploadsInternalService.method.getVideoOutcomes> {
  return async ({ assetIds }) => {
    if (assetIds.length > maxPerCall) throw tooManyVideoIds(maxPerCall)
    const ended = await findVideoOutcomes(ctx.db, assetIds)
    const now = ctx.now()
    return {
      outcomes: ended.map(({ state, version, ...video }) => ({
        roomId: video.roomId,
        event: processingEnded(video, state, { version, now }),
      })),
    }
  }
}
