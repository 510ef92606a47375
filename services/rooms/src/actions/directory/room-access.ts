import { isEffectiveMember, type Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import { isDmOfOthers, roomsOfMember } from '../../policy/visibility.ts'
import { findRoleIds } from '../../store/people.ts'
import type { RoomRow } from '../../store/rows.ts'
import { findRoom, findRoomsOfPerson } from '../../store/rooms.ts'

/**
 * Undefined for an unknown room, and for a direct message of others. Without `roleIds`, the stored roles are used, and
 * a user who is stored as deleted is no member, not even of universal rooms.
 */
export async function findRoomAccess(
  { db, policy }: Pick<Context, 'db' | 'policy'>,
  { userId, roleIds: currentRoleIds }: { userId: string; roleIds: readonly string[] | undefined },
  roomId: string,
): Promise<{ room: RoomRow; effectiveMember: boolean } | undefined> {
  const seen = await findRoom(db, userId, roomId)
  if (!seen || isDmOfOthers(seen)) return undefined
  const { room, standing } = seen
  const roleIds = currentRoleIds ?? (await findRoleIds(db, userId))
  const effectiveMember =
    roleIds !== undefined && isEffectiveMember(policy.current(), { userId, roleIds }, toPolicyRoom(room), standing)
  return { room, effectiveMember }
}

export async function findAccessibleRooms(
  { db, policy }: Pick<Context, 'db' | 'policy'>,
  user: Subject,
  roomIds: string[],
): Promise<RoomRow[]> {
  const seen = await findRoomsOfPerson(db, user.userId, roomIds)
  return roomsOfMember(policy.current(), user, seen).map(({ room }) => room)
}
