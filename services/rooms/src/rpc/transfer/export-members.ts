import type { MethodImpl } from '@connectrpc/connect'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { findMembersAfter } from '../../store/imported-rooms.ts'

const pageSize = 5_000

export function exportMembers(ctx: Context): MethodImpl<typeof RoomsTransferService.method.exportMembers> {
  return async ({ roomId, after }) => ({ userIds: await findMembersAfter(ctx.db, roomId, after, pageSize) })
}
