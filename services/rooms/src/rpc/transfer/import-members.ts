import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import type { RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { notAChannel, roomNotFound, tooManyIds } from '../../errors.ts'
import { addMembers } from '../../store/add-members.ts'
import { lockRoom } from '../../store/changes.ts'

const maxMembers = 5_000

export function importMembers(ctx: Context): MethodImpl<typeof RoomsTransferService.method.importMembers> {
  return async ({ roomId, userIds, joinedAt }, call) => {
    if (userIds.length > maxMembers) throw tooManyIds(maxMembers)
    const original = joinedAt && timestampDate(joinedAt)
    const now = ctx.now()
    const cause = { actorId: '', at: original && original < now ? original : now }
    const changed = await ctx.writes.run(roomId, call, () =>
      ctx.db.transaction(async (tx) => {
        const room = await lockRoom(tx, roomId)
        if (!room) throw roomNotFound()
        if (room.kind !== RoomKind.CHANNEL || room.universal) throw notAChannel()
        return addMembers(tx, room, userIds, cause)
      }),
    )
    if (changed.facts.length > 0) await ctx.delivery.deliver(roomId, changed.facts, call)
    else await ctx.delivery.waitUntilApplied(roomId, call)
    return { added: changed.facts.length }
  }
}
