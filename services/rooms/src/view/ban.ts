import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RoomBanSchema, type DirectoryMember, type RoomBan } from '@parley/contracts/api'
import type { BanRow } from '../store/ban-list.ts'
import type { RoomRow } from '../store/rows.ts'
import { toRoom } from './room.ts'

export function toRoomBan(ban: BanRow, room: RoomRow, people: ReadonlyMap<string, DirectoryMember>): RoomBan {
  const { id, roomId, userId, moderatorId, reason, createdAt, expiresAt } = ban
  const [user, moderator] = [people.get(userId), people.get(moderatorId)]
  return create(RoomBanSchema, {
    ...{ id, roomId, userId, moderatorId, reason },
    room: toRoom(room),
    ...(user && { user }),
    ...(moderator && { moderator }),
    createdAt: timestampFromDate(createdAt),
    ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
  })
}
