import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsInternalService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import * as store from '../../store/channels.ts'

export function countRooms(ctx: Context): MethodImpl<typeof RoomsInternalService.method.countRooms> {
  return () => store.countRooms(ctx.db)
}
