import type { ServiceImpl } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import type { GetRoomAccessRequest, RoomsInternalService } from '@parley/contracts/internal'

type Room = { members: Set<string>; archived: boolean; kind: RoomKind }

export class FakeRooms {
  readonly #rooms = new Map<string, Room>()
  readonly requests: GetRoomAccessRequest[] = []
  unavailable = false

  set(roomId: string, members: string[], changes: Partial<Omit<Room, 'members'>> = {}): void {
    this.#rooms.set(roomId, { members: new Set(members), archived: false, kind: RoomKind.CHANNEL, ...changes })
  }

  readonly getRoomAccess: ServiceImpl<typeof RoomsInternalService>['getRoomAccess'] = (request) => {
    this.requests.push(request)
    if (this.unavailable) throw new Error('unavailable')
    const room = this.#rooms.get(request.roomId)
    if (!room) return { exists: false }
    const { members, archived, kind } = room
    const header = { roomId: request.roomId, kind, archived, groupId: 'G1', version: 1n }
    return { exists: true, effectiveMember: members.has(request.userId), room: header }
  }
}
