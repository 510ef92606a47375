import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findImported } from '../../store/imports.ts'

const maxIds = 5_000

export function findImportedMessages(
  ctx: Context,
): MethodImpl<typeof MessagingTransferService.method.findImportedMessages> {
  return async ({ roomId, externalIds }) => {
    if (externalIds.length > maxIds) throw tooManyAtOnce('ids', maxIds)
    return { externalIds: [...(await findImported(ctx.pool, roomId, externalIds)).keys()] }
  }
}
