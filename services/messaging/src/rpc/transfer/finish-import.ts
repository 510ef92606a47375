import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { importNotFound, tooManyAtOnce } from '../../errors.ts'
import { findImports, markImportRead } from '../../store/imports.ts'
import { transaction } from '../../store/statement.ts'

const maxUsers = 1_000

export function finishImport(ctx: Context): MethodImpl<typeof MessagingTransferService.method.finishImport> {
  return async ({ roomId, userIds }) => {
    if (userIds.length > maxUsers) throw tooManyAtOnce('users', maxUsers)
    const [state] = await findImports(ctx.pool, [roomId])
    if (!state) throw importNotFound()
    const users = [...new Set(userIds)]
    await transaction(ctx.pool, (on) => markImportRead(on, roomId, users))
    return {}
  }
}
