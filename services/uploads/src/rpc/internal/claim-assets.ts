import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { isClaimable } from '../../domain/claim.ts'
import { assetNotUsable, ownerIsGone, wrongNumberOfAssets } from '../../errors.ts'
import { claim, lockAssets } from '../../store/assets.ts'
import { isErased } from '../../store/erased.ts'
import { toAttachedAsset } from '../../view/attached-asset.ts'

const maxPerCall = 10

export function claimAssets(ctx: Context): MethodImpl<typeof UploadsInternalService.method.claimAssets> {
  return async ({ roomId, eventId, userId, assetIds }) => {
    if (assetIds.length < 1 || assetIds.length > maxPerCall) throw wrongNumberOfAssets()
    const now = ctx.now()
    const rows = await ctx.db.transaction(async (tx) => {
      if (await isErased(tx, userId)) throw ownerIsGone()
      const locked = await lockAssets(tx, assetIds)
      const byId = new Map(locked.map((row) => [row.id, row]))
      const wanted = assetIds.map((id, index) => {
        const row = byId.get(id)
        const isRepeat = assetIds.indexOf(id) < index
        if (!row || isRepeat || !isClaimable(row, { roomId, eventId, userId, now })) throw assetNotUsable(id)
        return row
      })
      await claim(tx, assetIds, eventId, now)
      return wanted
    })
    return { assets: rows.map((row) => toAttachedAsset(row, ctx.fileLimits)) }
  }
}
