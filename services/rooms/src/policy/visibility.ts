import { isEffectiveMember, may, roomScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { toPolicyRoom, type PolicyRoom, type Standing } from './standing.ts'

/** Effective members see the room. Others need room.list to see a channel, and see no direct message. */
export function canSee(policy: Policy, subject: Subject, room: PolicyRoom, standing: Standing): boolean {
  if (isEffectiveMember(policy, subject, room, standing)) return true
  return room.kind === RoomKind.CHANNEL && may(policy, subject, 'room.list', roomScope(room))
}

export const isDmOfOthers = ({ room, standing }: { room: Pick<PolicyRoom, 'kind'>; standing: Standing }): boolean =>
  room.kind === RoomKind.DM && !standing.member

export function roomsOfMember<R extends { room: Parameters<typeof toPolicyRoom>[0]; standing: Standing }>(
  policy: Policy,
  subject: Subject,
  rooms: readonly R[],
): R[] {
  return rooms.filter(({ room, standing }) => isEffectiveMember(policy, subject, toPolicyRoom(room), standing))
}
