import type { MethodImpl } from '@connectrpc/connect'
import type { AssetService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { findAssets } from '../../store/assets.ts'
import { videoStatesOf } from '../../store/video-jobs.ts'
import { thumbnailSize, toAsset } from '../../view/asset.ts'

export function batchGetAssets(ctx: Context): MethodImpl<typeof AssetService.method.batchGetAssets> {
  return async ({ roomId, assetIds, thumbnail }, call) => {
    const caller = callerOf(call)
    await ctx.rooms.assertMayRead(caller, roomId)
    const ids = [...new Set(assetIds)]
    const [rows, videos] = await Promise.all([
      findAssets(ctx.db, { roomId, ids, userId: caller.userId }),
      videoStatesOf(ctx.db, ids),
    ])
    const byId = new Map(rows.map((row) => [row.id, row]))
    const showing = { userId: caller.userId, now: ctx.now(), from: ctx.assets }
    const size = thumbnailSize(thumbnail)
    return {
      assets: ids.flatMap((id) => {
        const row = byId.get(id)
        return row ? [toAsset(row, showing, { thumbnail: size, video: videos.get(id) })] : []
      }),
    }
  }
}
