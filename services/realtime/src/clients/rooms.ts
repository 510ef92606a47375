import type { Client } from '@connectrpc/connect'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type {
  OpenRoomSocketsResponse,
  RoomHeader,
  RoomStanding,
  RoomsInternalService,
} from '@parley/contracts/internal'
import type { StandingInRoom, UniversalRoom } from '../domain/standing.ts'

export type Rooms = {
  /** Standings in channels by user id, including recently ended ones. Users without standings are missing. */
  listStandings: (userIds: string[]) => Promise<Map<string, StandingInRoom[]>>
  /** Includes rooms that recently ceased to be universal. */
  listUniversalRooms: () => Promise<UniversalRoom[]>
}

/** Maximum number of standings in one response, which then has about half a megabyte. */
const pageSize = 5_000

export function roomsClient(client: Client<typeof RoomsInternalService>): Rooms {
  return {
    async listStandings(userIds) {
      const found = new Map<string, StandingInRoom[]>()
      let page: OpenRoomSocketsResponse | undefined
      do {
        page = await client.openSockets({ userIds, limit: pageSize, ...(page?.next && { after: page.next }) })
        for (const { userId, standings } of page.entries)
          found.set(userId, [...(found.get(userId) ?? []), ...standings.map(toStanding)])
      } while (page.next)
      return found
    },
    async listUniversalRooms() {
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
  dm: false,
})
