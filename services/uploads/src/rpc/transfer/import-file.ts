import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import { CreateUploadRequestSchema } from '@parley/contracts/api'
import type { UploadsTransferService } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Context } from '../../context.ts'
import { uploadLifeMs } from '../../domain/limits.ts'
import { draftUpload } from '../../domain/upload-draft.ts'
import { importedIdMissing } from '../../errors.ts'
import { findAnyAsset, findImported, importKey, recordImportStarted } from '../../store/imported-files.ts'
import { findUpload, insertUpload } from '../../store/uploads.ts'
import { toAttachedAsset } from '../../view/attached-asset.ts'

export function importFile(ctx: Context): MethodImpl<typeof UploadsTransferService.method.importFile> {
  return async (request) => {
    const { source, externalId, roomId, ownerId, filename, contentType, size, sha256 } = request
    if (source === '' || externalId === '' || ownerId === '') throw importedIdMissing()
    const draft = draftUpload(
      create(CreateUploadRequestSchema, { roomId, filename, contentType, size, sha256 }),
      ctx.fileLimits,
    )
    const key = importKey(source, roomId, externalId)
    const now = ctx.now()
    const known = await findImported(ctx.db, key)
    const upload = known && (await findUpload(ctx.db, known.uploadId, now))
    const assetId = known?.assetId ?? upload?.assetId
    const asset = assetId ? await findAnyAsset(ctx.db, assetId) : undefined
    if (asset) return { asset: toAttachedAsset(asset, ctx.fileLimits) }
    if (upload?.state === 'open' && upload.sha256 === sha256 && upload.size === draft.size)
      return { uploadId: upload.id, committed: BigInt(upload.committed) }

    const uploadId = newId('asset')
    const expiresAt = new Date(now.getTime() + uploadLifeMs)
    await ctx.db.transaction(async (tx) => {
      await insertUpload(tx, { ...draft, id: uploadId, ownerId, createdAt: now, expiresAt })
      await recordImportStarted(tx, key, uploadId)
    })
    return { uploadId, committed: 0n }
  }
}
