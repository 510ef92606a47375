import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findUniversalRooms } from '../../store/access.ts'
import { toRoomHeader } from '../../view/access.ts'

export function listUniversalRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.listUniversalRooms> {
  return async () => ({ rooms: (await findUniversalRooms(ctx.db)).map(toRoomHeader) })
}
