import { buffer } from 'node:stream/consumers'
import type { MethodImpl } from '@connectrpc/connect'
import type { UploadsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { maxChunkBytes } from '../../domain/limits.ts'
import { assetNotFound } from '../../errors.ts'
import { storageKeys } from '../../engines/storage/index.ts'
import { findAnyAsset } from '../../store/imported-files.ts'

export function exportFile(ctx: Context): MethodImpl<typeof UploadsTransferService.method.exportFile> {
  return async ({ assetId, offset }) => {
    const asset = await findAnyAsset(ctx.db, assetId)
    if (!asset) throw assetNotFound()
    const start = Number(offset)
    const size = BigInt(asset.size)
    if (start >= asset.size) return { size }
    const range = { start, end: Math.min(start + maxChunkBytes, asset.size) - 1 }
    const stored = await ctx.storage.get(storageKeys.asset(asset.id), range)
    if (!stored) throw assetNotFound()
    return { size, content: await buffer(stored.content) }
  }
}
