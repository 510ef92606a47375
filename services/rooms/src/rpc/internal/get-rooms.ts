import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { assertFewIds } from '../../domain/few-ids.ts'
import { findHeads } from '../../store/access.ts'
import { toRoomHeader } from '../../view/access.ts'

export function getRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.getRooms> {
  return async ({ roomIds }) => {
    assertFewIds(roomIds)
    return { rooms: (await findHeads(ctx.db, roomIds)).map(toRoomHeader) }
  }
}
