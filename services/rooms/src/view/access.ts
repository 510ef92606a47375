import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RoomHeaderSchema, RoomStandingSchema, type RoomHeader, type RoomStanding } from '@parley/contracts/internal'
import { toPolicyRoom } from '../policy/standing.ts'
import type { StandingRow } from '../store/access.ts'
import type { RoomRow } from '../store/rows.ts'

export function toRoomHeader(room: RoomRow): RoomHeader {
  return create(RoomHeaderSchema, { ...toPolicyRoom(room), version: room.version, name: room.name })
}

export function toRoomStanding({ banExpiresAt, ...row }: StandingRow): RoomStanding {
  const { roomId, member, banned, memberVersion, banVersion } = row
  return create(RoomStandingSchema, {
    roomId,
    member,
    banned,
    ...(banExpiresAt ? { banExpiresAt: timestampFromDate(banExpiresAt) } : {}),
    memberVersion,
    banVersion,
  })
}
