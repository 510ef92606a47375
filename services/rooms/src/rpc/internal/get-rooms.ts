import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertIdCount } from '../../domain/id-count.ts'
import { findRoomRows } from '../../store/access.ts'
import { toRoomHeader } from '../../view/access.ts'

export function getRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.getRooms> {
  return async ({ roomIds }) => {
    assertIdCount(roomIds)
    return { rooms: (await findRoomRows(ctx.db, roomIds)).map(toRoomHeader) }
  }
}
