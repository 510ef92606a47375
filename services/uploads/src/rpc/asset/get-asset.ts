import type { MethodImpl } from '@connectrpc/connect'
import type { AssetService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showAssets } from '../../actions/files/show-assets.ts'
import type { Context } from '../../context.ts'
import { assetNotFound } from '../../errors.ts'

export function getAsset(ctx: Context): MethodImpl<typeof AssetService.method.getAsset> {
  return async ({ roomId, assetId, thumbnail }, call) => {
    const [asset] = await showAssets(ctx, callerOf(call), { roomId, assetIds: [assetId], thumbnail })
    if (!asset) throw assetNotFound()
    return { asset }
  }
}
