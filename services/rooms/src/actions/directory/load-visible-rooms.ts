import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findDmMembers } from './dm-members.ts'
import { canSee, roomsOfMember } from '../../policy/visibility.ts'
import { toPolicyRoom } from '../../policy/standing.ts'
import type { ListedRoom } from '../../store/rows.ts'
import type { Viewer } from '../../view/room.ts'
import { readRoomStates, type RoomStates } from '../../clients/messaging.ts'

export type VisibleRooms = { visible: ListedRoom[]; states: RoomStates; viewer: Viewer }

export async function loadVisibleRooms(
  ctx: Context,
  subject: Subject,
  rooms: readonly ListedRoom[],
): Promise<VisibleRooms> {
  const policy = ctx.policy.current()
  const visible = rooms.filter(({ room, standing }) => canSee(policy, subject, toPolicyRoom(room), standing))
  const own = roomsOfMember(policy, subject, visible).map(({ room }) => room.id)
  const [states, members] = await Promise.all([
    readRoomStates(ctx.messaging, subject.userId, own),
    findDmMembers(ctx, visible),
  ])
  const hasUnread = (roomId: string) => states.get(roomId)?.hasUnread ?? false
  return { visible, states, viewer: { policy, subject, hasUnread, dmMembers: (roomId) => members.get(roomId) ?? [] } }
}
