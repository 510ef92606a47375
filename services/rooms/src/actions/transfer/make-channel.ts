import type { ImportRoomRequest } from '@parley/contracts/internal'
import { enqueue } from '@parley/events'
import { newId } from '@parley/ids'
import { isUniqueViolation } from '@parley/postgres'
import { denyEntry, denyPosting } from '../../clients/admin.ts'
import type { Context } from '../../context.ts'
import { roomGroupsUpdated } from '../../domain/layout-event.ts'
import { newChannelWithMembers } from '../../domain/new-room.ts'
import type { Cause } from '../../domain/room-fact.ts'
import { isAnnouncements, roomNameKey } from '../../domain/room-name.ts'
import { groupNotFound, importRaced } from '../../errors.ts'
import { type RemainingTime, layoutKey } from '../../engines/delivery/index.ts'
import { groupExists } from '../../store/groups.ts'
import { reserveRoomId, findTakenNames } from '../../store/imported-rooms.ts'
import { appendItem, nextLayoutVersion } from '../../store/layout.ts'
import { channelRow, insertRoom } from '../../store/new-rooms.ts'
import { findRoom } from '../../store/rooms.ts'
import { toStorableDescription } from './description.ts'
import { nameCandidates } from './name-candidates.ts'

export type ImportedRoom = { roomId: string; name: string; made: boolean }

const attempts = 3

/**
 * Finds the channel if an earlier call created it. Entry to a private channel, and posting in `announcements`, are
 * denied before the channel exists; otherwise they would be possible for a moment.
 */
export async function makeChannel(
  ctx: Context,
  request: ImportRoomRequest,
  cause: Cause,
  remaining: RemainingTime,
): Promise<ImportedRoom> {
  const roomId = await reserveRoomId(ctx.db, request, newId('room'))
  for (let attempt = 1; ; attempt++) {
    const known = await findRoom(ctx.db, '', roomId)
    if (known) {
      if (request.private) await denyEntry(ctx.admin, roomId)
      await ctx.delivery.waitUntilApplied(roomId, remaining)
      return { roomId, name: known.room.name, made: false }
    }
    try {
      return await tryMakeChannel(ctx, roomId, request, cause, remaining)
    } catch (error) {
      // Since the lookup, the name was taken, or a repeat of this call created the room.
      if (!isUniqueViolation(error)) throw error
      if (attempt === attempts) throw importRaced()
    }
  }
}

async function tryMakeChannel(
  ctx: Context,
  roomId: string,
  request: ImportRoomRequest,
  cause: Cause,
  remaining: RemainingTime,
): Promise<ImportedRoom> {
  const { groupId, universal, memberIds } = request
  const candidates = nameCandidates(request.name, roomId)
  const taken = await findTakenNames(ctx.db, candidates)
  const name = candidates.find((candidate) => !taken.has(roomNameKey(candidate))) ?? roomId
  const description = toStorableDescription(request)
  const members = universal ? [] : [...new Set(memberIds)]
  const room = newChannelWithMembers({ id: roomId, name, description, groupId, universal }, members, cause)
  if (request.private) await denyEntry(ctx.admin, roomId)
  if (isAnnouncements(name)) await denyPosting(ctx.admin, roomId, '')
  const entries = await ctx.writes.run(layoutKey, remaining, () =>
    ctx.db.transaction(async (tx) => {
      const layoutVersion = await nextLayoutVersion(tx)
      if (!(await groupExists(tx, groupId))) throw groupNotFound()
      await insertRoom(tx, channelRow(room), room)
      await appendItem(tx, groupId, 'room', roomId)
      return enqueue(tx, roomGroupsUpdated(layoutVersion, { groupId, roomId }, { actorId: '', at: ctx.now() }))
    }),
  )
  ctx.relay.wake(entries)
  await ctx.delivery.deliver(roomId, room.facts, remaining)
  return { roomId, name, made: true }
}
