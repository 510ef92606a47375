import type { Client } from '@connectrpc/connect'
import type { GetRoomAccessResponse, RoomsInternalService } from '@parley/contracts/internal'
import { notAMember, roomNotFound, roomsUnavailable } from '../errors.ts'

/** Without `roleIds`, the service `rooms` uses the roles that it has stored. */
export type RoomReader = { userId: string; roleIds?: readonly string[] }

const timeoutMs = 3_000

export class RoomAccess {
  readonly #rooms: Client<typeof RoomsInternalService>

  constructor(rooms: Client<typeof RoomsInternalService>) {
    this.#rooms = rooms
  }

  async getAccess({ userId, roleIds }: RoomReader, roomId: string): Promise<GetRoomAccessResponse> {
    const roles = roleIds === undefined ? { useStoredRoles: true } : { roleIds: [...roleIds] }
    try {
      return await this.#rooms.getRoomAccess({ userId, roomId, ...roles }, { timeoutMs })
    } catch (error) {
      throw roomsUnavailable(error)
    }
  }

  /**
   * Throws `not_found` or `permission_denied` unless the reader may read the room, `unavailable` if the call to the
   * service `rooms` fails.
   */
  async assertMayRead(reader: RoomReader, roomId: string): Promise<void> {
    const { exists, effectiveMember } = await this.getAccess(reader, roomId)
    if (!exists) throw roomNotFound()
    if (!effectiveMember) throw notAMember()
  }
}
