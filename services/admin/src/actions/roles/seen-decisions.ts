import { storedDecisions, type Holder, type Policy, type StoredDecision, type Subject } from '@parley/permissions'
import type { RoomHeader } from '@parley/contracts/internal'
import { RoomKind } from '@parley/contracts/api'
import { findRoomOf, findRooms } from '../../clients/rooms.ts'
import type { Context } from '../../context.ts'

/**
 * The decisions about a holder, and the rooms concerned. Leaves out direct conversations in which the caller does not
 * participate, since the caller may not know of them.
 */
export async function seenDecisions(
  { rooms }: Pick<Context, 'rooms'>,
  policy: Policy,
  { holder, caller }: { holder: Holder; caller: Subject },
): Promise<{ decisions: StoredDecision[]; rooms: RoomHeader[] }> {
  const stored = storedDecisions(policy, holder)
  const roomIds = new Set(stored.flatMap(({ scope }) => (scope.kind === 'room' ? [scope.id] : [])))
  const found = await findRooms(rooms, [...roomIds])
  const dms = found.filter(({ kind }) => kind === RoomKind.DM)
  const own = await Promise.all(dms.map(({ roomId }) => findRoomOf(rooms, caller, roomId)))
  const foreign = new Set(dms.filter((_, n) => own[n] === undefined).map(({ roomId }) => roomId))
  return {
    decisions: stored.filter(({ scope }) => scope.kind !== 'room' || !foreign.has(scope.id)),
    rooms: found.filter(({ roomId }) => !foreign.has(roomId)),
  }
}
