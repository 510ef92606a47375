import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findImported } from '../../store/imports.ts'

const mostIds = 5_000

export function findImportedMessages(
  ctx: Context,
): MethodImpl<typeof MessagingTransferService.method.findImportedMessages> {
  return async ({ roomId, externalIds }) => {
    if (externalIds.length > mostIds) throw tooManyAtOnce('ids', mostIds)
    return { externalIds: [...(await findImported(ctx.pool, roomId, externalIds)).keys()] }
  }
}
