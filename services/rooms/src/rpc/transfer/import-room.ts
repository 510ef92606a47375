import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { MethodImpl } from '@connectrpc/connect'
import type { ImportRoomRequest, RoomsTransferService } from '@parley/contracts/internal'
import type { Context } from '../../context.ts'
import { newDm } from '../../domain/new-room.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { badDmParticipants, importedIdMissing, tooManyIds } from '../../errors.ts'
import type { RemainingTime } from '../../engines/delivery/index.ts'
import { findDm } from '../../store/dm-ids.ts'
import { dmRow, insertRoomOnce } from '../../store/new-rooms.ts'
import { makeChannel, type ImportedRoom } from '../../actions/transfer/make-channel.ts'

const maxMembers = 5_000
const maxParticipants = 10
const maxIdCharacters = 200

const isStorableId = (id: string): boolean => id !== '' && id.length <= maxIdCharacters && !id.includes('\0')

export function importRoom(ctx: Context): MethodImpl<typeof RoomsTransferService.method.importRoom> {
  return async (request, call) => {
    if (![request.source, request.externalId].every(isStorableId)) throw importedIdMissing()
    if (request.memberIds.length > maxMembers) throw tooManyIds(maxMembers)
    const original = request.createdAt && timestampDate(request.createdAt)
    const now = ctx.now()
    const cause = { actorId: '', at: original && original < now ? original : now }
    return request.dm ? await makeDm(ctx, request, cause, call) : await makeChannel(ctx, request, cause, call)
  }
}

async function makeDm(
  ctx: Context,
  request: ImportRoomRequest,
  cause: Cause,
  remaining: RemainingTime,
): Promise<ImportedRoom> {
  const participantIds = [...new Set(request.memberIds)].sort()
  if (participantIds.length === 0 || participantIds.length > maxParticipants) throw badDmParticipants(maxParticipants)
  const { roomId } = await findDm(ctx.db, ctx.dmKey, { participantIds, viewerId: '' })
  const dm = newDm(roomId, participantIds, cause)
  const row = dmRow(dm)
  const made = await ctx.writes.run(roomId, remaining, () => ctx.db.transaction((tx) => insertRoomOnce(tx, row, dm)))
  if (made) await ctx.delivery.deliver(roomId, dm.facts, remaining)
  else await ctx.delivery.waitUntilApplied(roomId, remaining)
  return { roomId, name: '', made }
}
