import { isEffectiveMember, may, roomScope, type Policy, type Subject } from '@parley/permissions'
import { RoomKind } from '@parley/contracts/api'
import { headOf, type RoomHead, type Standing } from './standing.ts'

/** Members see their rooms; of the others, channels show to those with room.list and direct messages to nobody. */
export function canSee(policy: Policy, subject: Subject, room: RoomHead, standing: Standing): boolean {
  if (isEffectiveMember(policy, subject, room, standing)) return true
  return room.kind === RoomKind.CHANNEL && may(policy, subject, 'room.list', roomScope(room))
}

/** Whether a room is a direct conversation between others: to whoever has no part in it, it does not exist. */
export const isForeignDm = ({ room, standing }: { room: Pick<RoomHead, 'kind'>; standing: Standing }): boolean =>
  room.kind === RoomKind.DM && !standing.member

/** Of these rooms, those the user belongs to. */
export function roomsOfMember<R extends { room: Parameters<typeof headOf>[0]; standing: Standing }>(
  policy: Policy,
  subject: Subject,
  seen: readonly R[],
): R[] {
  return seen.filter(({ room, standing }) => isEffectiveMember(policy, subject, headOf(room), standing))
}
