import type { MethodImpl } from '@connectrpc/connect'
import type { AssetService } from '@parley/contracts/api'
import { callerOf } from '@parley/rpc'
import { showAssets } from '../../actions/files/show-assets.ts'
import type { Context } from '../../context.ts'

export function batchGetAssets(ctx: Context): MethodImpl<typeof AssetService.method.batchGetAssets> {
  return async (wanted, call) => ({ assets: await showAssets(ctx, callerOf(call), wanted) })
}
