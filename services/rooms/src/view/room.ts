import type { MessageInitShape } from '@bufbuild/protobuf'
import { isEffectiveMember, roomPermissions, type Policy, type Subject } from '@parley/permissions'
import type { RoomSchema, RoomWithViewerStateSchema, User } from '@parley/contracts/api'
import { toPolicyRoom } from '../policy/standing.ts'
import type { HeadWithStanding, RoomHead } from '../store/rows.ts'

export function toRoom(room: RoomHead): MessageInitShape<typeof RoomSchema> {
  const { id, kind, name, description, archived, universal } = room
  return { id, kind, name, description, archived, groupId: room.groupId ?? '', universal }
}

export type Viewer = {
  policy: Policy
  subject: Subject
  hasUnread: (roomId: string) => boolean
  dmMembers: (roomId: string) => readonly User[]
}

/** Returns a plain object, which is faster than a message: a client may list thousands of rooms. */
export function toRoomWithViewerState(
  { room, standing }: HeadWithStanding,
  viewer: Viewer,
): MessageInitShape<typeof RoomWithViewerStateSchema> {
  const { policy, subject } = viewer
  const head = toPolicyRoom(room)
  const isMember = isEffectiveMember(policy, subject, head, standing)
  return {
    room: toRoom(room),
    dmMembers: [...viewer.dmMembers(room.id)],
    viewerState: {
      isMember,
      hasUnread: isMember && viewer.hasUnread(room.id),
      permissions: roomPermissions(policy, subject, head, { isMember, banned: standing.banned }),
    },
  }
}
