import type { MethodImpl } from '@connectrpc/connect'
import type { AssetService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { assetNotFound } from '../../errors.ts'
import { findAssets } from '../../store/assets.ts'
import { videoStatesOf } from '../../store/video-jobs.ts'
import { thumbnailSize, toAsset } from '../../view/asset.ts'

export function getAsset(ctx: Context): MethodImpl<typeof AssetService.method.getAsset> {
  return async ({ roomId, assetId, thumbnail }, call) => {
    const caller = callerOf(call)
    await ctx.rooms.assertMayRead(caller, roomId)
    const [row] = await findAssets(ctx.db, { roomId, ids: [assetId], userId: caller.userId })
    if (!row) throw assetNotFound()
    const videos = await videoStatesOf(ctx.db, [assetId])
    const showing = { userId: caller.userId, now: ctx.now(), from: ctx.assets }
    return { asset: toAsset(row, showing, { thumbnail: thumbnailSize(thumbnail), video: videos.get(assetId) }) }
  }
}
