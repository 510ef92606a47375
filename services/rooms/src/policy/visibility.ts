import { isEffectiveMember, may, roomScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { toPolicyRoom, type PolicyRoom, type Standing } from './standing.ts'

/** Members see their rooms. Others see channels if they have room.list, and never direct messages. */
export function canSee(policy: Policy, subject: Subject, room: PolicyRoom, standing: Standing): boolean {
  if (isEffectiveMember(policy, subject, room, standing)) return true
  return room.kind === RoomKind.CHANNEL && may(policy, subject, 'room.list', roomScope(room))
}

/** Whether a room is a direct message in which the user does not take part, and of which they must not learn. */
export const isDmOfOthers = ({ room, standing }: { room: Pick<PolicyRoom, 'kind'>; standing: Standing }): boolean =>
  room.kind === RoomKind.DM && !standing.member

/** Returns the given rooms of which the user is a member. */
export function roomsOfMember<R extends { room: Parameters<typeof toPolicyRoom>[0]; standing: Standing }>(
  policy: Policy,
  subject: Subject,
  rooms: readonly R[],
): R[] {
  return rooms.filter(({ room, standing }) => isEffectiveMember(policy, subject, toPolicyRoom(room), standing))
}
