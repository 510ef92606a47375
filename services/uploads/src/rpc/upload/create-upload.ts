import { create } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import {
  AssetUploadService,
  AssetUploadStatus,
  CreateUploadResponseSchema,
  type CreateUploadResponse,
} from '@parley/contracts/api'
import { newId } from '@parley/ids'
import { callerOf } from '@parley/rpc'
import { answerOnce } from '@parley/service'
import type { Context } from '../../context.ts'
import { uploadLifeMs } from '../../domain/limits.ts'
import { draftUpload } from '../../domain/upload-draft.ts'
import { assertOwnerQuotas, assertServerQuota } from '../../actions/files/quotas.ts'
import { assertMayAttach } from '../../policy/attaching.ts'
import { findUpload, insertUpload, type UploadRow } from '../../store/uploads.ts'
import { toUpload } from '../../view/upload.ts'

const method = AssetUploadService.method.createUpload

export function createUpload(ctx: Context): MethodImpl<typeof method> {
  const repeat = async ({ upload: earlier }: CreateUploadResponse) => {
    const current = earlier && (await findUpload(ctx.db, earlier.uploadId, ctx.now()))
    // The row of a finished upload may be deleted before the idempotency key.
    const upload = current ? toUpload(current) : earlier && { ...earlier, status: AssetUploadStatus.CANCELLED }
    return create(CreateUploadResponseSchema, upload ? { upload } : {})
  }
  return (request, call) =>
    answerOnce(
      ctx.db,
      { method, request, call },
      {
        repeat,
        async run(key) {
          const caller = callerOf(call)
          const draft = draftUpload(request, ctx.fileLimits)
          assertMayAttach(ctx.policy(), caller, await ctx.rooms.getAccess(caller, draft.roomId))
          await assertServerQuota(ctx, draft.size)
          const now = ctx.now()
          const upload: UploadRow = {
            ...draft,
            id: newId('asset'),
            ownerId: caller.userId,
            ...{ state: 'open', committed: 0, smallChunks: 0, assetId: null },
            createdAt: now,
            expiresAt: new Date(now.getTime() + uploadLifeMs),
          }
          const answer = create(CreateUploadResponseSchema, { upload: toUpload(upload) })
          await ctx.db.transaction(async (tx) => {
            await key.store(tx, answer)
            await assertOwnerQuotas(ctx, tx, upload)
            await insertUpload(tx, upload)
          })
          return answer
        },
      },
    )
}
