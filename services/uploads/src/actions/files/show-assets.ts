import type { Asset, ImageTransformOptions } from '@parley/contracts/api'
import type { Caller } from '@parley/credentials'
import type { Context } from '../../context.ts'
import { findAssets } from '../../store/assets.ts'
import { findVideoStates } from '../../store/video-jobs.ts'
import { thumbnailSize, toAsset } from '../../view/asset.ts'

type Wanted = { roomId: string; assetIds: readonly string[]; thumbnail?: ImageTransformOptions | undefined }

/**
 * Returns each file once, in the requested order, with signed URLs. Leaves out files that are missing or not visible to
 * the caller. Throws unless the caller may read the room.
 */
export async function showAssets(
  ctx: Context,
  caller: Caller,
  { roomId, assetIds, thumbnail }: Wanted,
): Promise<Asset[]> {
  await ctx.rooms.assertMayRead(caller, roomId)
  const ids = [...new Set(assetIds)]
  const [rows, videos] = await Promise.all([
    findAssets(ctx.db, { roomId, ids, userId: caller.userId }),
    findVideoStates(ctx.db, ids),
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const options = { userId: caller.userId, now: ctx.now(), from: ctx.assets }
  const size = thumbnailSize(thumbnail)
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toAsset(row, options, { thumbnail: size, video: videos.get(id) })] : []
  })
}
