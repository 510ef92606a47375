import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { MessagingTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { tooManyAtOnce } from '../../errors.ts'
import { findImports } from '../../store/imports.ts'

const maxRooms = 500

export function importProgress(ctx: Context): MethodImpl<typeof MessagingTransferService.method.importProgress> {
  return async ({ roomIds }) => {
    if (roomIds.length > maxRooms) throw tooManyAtOnce('rooms', maxRooms)
    const states = await findImports(ctx.pool, roomIds)
    return {
      entries: states.map(({ roomId, messages, through }) => {
        return { roomId, messages, through: timestampFromDate(through) }
      }),
    }
  }
}
