import { storedDecisions, type Holder, type Policy, type StoredDecision, type Subject } from '@parley/permissions'
import type { RoomHeader } from '@parley/contracts/internal'
import { RoomKind } from '@parley/contracts/api'
import { findRoomFor, findRooms } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'

/** Leaves out decisions for direct messages in which the caller does not take part. */
export async function findVisibleDecisions(
  { rooms }: Pick<Context, 'rooms'>,
  policy: Policy,
  { holder, caller }: { holder: Holder; caller: Subject },
): Promise<{ decisions: StoredDecision[]; rooms: RoomHeader[] }> {
  const stored = storedDecisions(policy, holder)
  const roomIds = new Set(stored.flatMap(({ scope }) => (scope.kind === 'room' ? [scope.id] : [])))
  const found = await findRooms(rooms, [...roomIds])
  const dms = found.filter(({ kind }) => kind === RoomKind.DM)
  const accessible = await Promise.all(dms.map(({ roomId }) => findRoomFor(rooms, caller, roomId)))
  const hidden = new Set(dms.filter((_, n) => accessible[n] === undefined).map(({ roomId }) => roomId))
  return {
    decisions: stored.filter(({ scope }) => scope.kind !== 'room' || !hidden.has(scope.id)),
    rooms: found.filter(({ roomId }) => !hidden.has(roomId)),
  }
}
