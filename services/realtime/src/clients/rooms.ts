import type { Client } from '@connectrpc/connect'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { RoomKind } from '@parley/contracts/api'
import type { RoomHeader, RoomStanding, RoomsInternalService } from '@parley/contracts/internal'
import type { StandingInRoom, UniversalRoom } from '../domain/standing.ts'

/** Calls to rooms. */
export type Rooms = {
  openSockets: (userIds: string[]) => Promise<Map<string, StandingInRoom[]>>
  universalRooms: () => Promise<UniversalRoom[]>
}

export function roomsClient(client: Client<typeof RoomsInternalService>): Rooms {
  return {
    async openSockets(userIds) {
      const { entries } = await client.openSockets({ userIds })
      return new Map(entries.map(({ userId, standings }) => [userId, standings.map(toStanding)]))
    },
    async universalRooms() {
      const { rooms } = await client.listUniversalRooms({})
      return rooms.map(toUniversalRoom)
    },
  }
}

const toUniversalRoom = ({ roomId, groupId, universal, version }: RoomHeader): UniversalRoom => ({
  roomId,
  groupId,
  universal,
  version,
})

const toStanding = (standing: RoomStanding): StandingInRoom => ({
  roomId: standing.roomId,
  member: standing.member,
  memberVersion: standing.memberVersion,
  banned: standing.banned,
  banExpiresAt: standing.banExpiresAt && timestampDate(standing.banExpiresAt),
  banVersion: standing.banVersion,
  dm: standing.kind === RoomKind.DM,
})
