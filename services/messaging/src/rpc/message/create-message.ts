import { createHash } from 'node:crypto'
import type { MethodImpl } from '@connectrpc/connect'
import { CreateMessageRequestSchema, type MessageService } from '@parley/contracts/api'
import { encode } from '@parley/protobuf'
import { callerOf, idempotencyKeyOf } from '@parley/rpc'
import type { Context } from '../../context.ts'
import { draftMessage } from '../../domain/draft.ts'
import { keyReused, unknownAttachment } from '../../errors.ts'
import { post } from '../../actions/room-log/post.ts'
import { viewContextOf } from '../../actions/room-log/view-context.ts'
import { countPosted, countReplayed } from '../../metrics.ts'
import { toMessage } from '../../view/message.ts'

export function createMessage(ctx: Context): MethodImpl<typeof MessageService.method.createMessage> {
  return async (request, call) => {
    const caller = callerOf(call)
    const key = idempotencyKeyOf(call)
    const digest = createHash('sha256').update(encode(CreateMessageRequestSchema, request)).digest()
    const outcome = await post(ctx, { caller, draft: draftMessage(request), key, digest }, call.signal)
    switch (outcome.kind) {
      case 'written':
        countPosted()
        return { message: toMessage(viewContextOf(ctx, caller, request.roomId), outcome.row) }
      case 'replayed':
        call.responseHeader.set('Idempotency-Replayed', 'true')
        countReplayed()
        return { message: toMessage(viewContextOf(ctx, caller, outcome.roomId), outcome.row) }
      case 'keyReused':
        throw keyReused()
      case 'fileTaken':
        throw unknownAttachment(outcome.assetId)
      case 'refused':
        throw outcome.error
    }
  }
}
