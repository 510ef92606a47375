import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { importedIdInvalid, tooManyAtOnce } from '../../errors.ts'
import { importIntoRoom } from '../../actions/transfer/import-messages.ts'

const maxMessages = 1_000

export function importMessages(ctx: Context): MethodImpl<typeof MessagingTransferService.method.importMessages> {
  return async (request, { signal }) => {
    if (request.messages.length > maxMessages) throw tooManyAtOnce('messages', maxMessages)
    if (request.source === '') throw importedIdInvalid()
    const { ids, replies, reactions, orphaned } = await importIntoRoom(ctx, request, signal)
    return {
      written: ids.length,
      replies: replies.length,
      reactions: reactions.reduce((sum, { userIds }) => sum + userIds.length, 0),
      orphanedExternalIds: orphaned,
    }
  }
}
