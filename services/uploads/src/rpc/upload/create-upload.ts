import { createHash } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { MethodImpl } from '@connectrpc/connect'
import {
  AssetUploadStatus,
  CreateUploadRequestSchema,
  CreateUploadResponseSchema,
  type AssetUploadService,
} from '@parley/contracts/api'
import { newId } from '@parley/ids'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { uploadLifeMs } from '../../domain/limits.ts'
import { draftUpload } from '../../domain/upload-draft.ts'
import { keyReused, uploadNotFound } from '../../errors.ts'
import { assertQuotas, assertServerQuota } from '../../actions/files/quotas.ts'
import { assertMayAttach } from '../../policy/attaching.ts'
import { findKeyedAnswer, storeKeyedAnswer } from '../../store/upload-keys.ts'
import { findUpload, insertUpload, type UploadRow } from '../../store/uploads.ts'
import { toUpload } from '../../view/upload.ts'

export function createUpload(ctx: Context): MethodImpl<typeof AssetUploadService.method.createUpload> {
  return async (request, call) => {
    const caller = callerOf(call)
    const key = idempotencyKeyOf(call)
    const digest = createHash('sha256').update(toBinary(CreateUploadRequestSchema, request)).digest()
    // What was answered under the key is the answer, as it is now, whatever would stand against it.
    const replay = async () => {
      const known = key === undefined ? undefined : await findKeyedAnswer(ctx.db, caller.userId, key)
      if (!known) return undefined
      if (!digest.equals(known.digest)) throw keyReused()
      call.responseHeader.set('Idempotency-Replayed', 'true')
      const { upload: answered } = fromBinary(CreateUploadResponseSchema, known.response)
      const held = answered && (await findUpload(ctx.db, answered.uploadId, ctx.now()))
      // What is over is forgotten, sooner than its key.
      const upload = held ? toUpload(held) : answered && { ...answered, status: AssetUploadStatus.CANCELLED }
      return create(CreateUploadResponseSchema, upload ? { upload } : {})
    }
    const before = await replay()
    if (before) return before

    const draft = draftUpload(request, ctx.fileLimits)
    assertMayAttach(ctx.policy(), caller, await ctx.rooms.ask(caller, draft.roomId))
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
    const response = toBinary(CreateUploadResponseSchema, answer)
    const isFirst = await ctx.db.transaction(async (tx) => {
      const keyed = key !== undefined && { callerId: caller.userId, key, digest, response }
      if (keyed && !(await storeKeyedAnswer(tx, keyed, now))) return false
      await assertQuotas(ctx, tx, upload)
      await insertUpload(tx, upload)
      return true
    })
    if (isFirst) return answer
    const meanwhile = await replay()
    if (!meanwhile) throw uploadNotFound()
    return meanwhile
  }
}
