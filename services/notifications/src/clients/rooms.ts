import type { Client } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import type { RoomHeader, RoomsInternalService } from '@parley/contracts/internal'
import { notAMember, roomNotFound, roomsUnavailable } from '../errors.ts'

const timeoutMs = 3_000
const roomsPerCall = 500

export class RoomAccess {
  readonly #rooms: Client<typeof RoomsInternalService>

  constructor(rooms: Client<typeof RoomsInternalService>) {
    this.#rooms = rooms
  }

  async assertMember(caller: Caller, roomId: string): Promise<void> {
    const { exists, effectiveMember } = await this.#accessOf(caller, roomId)
    if (!exists) throw roomNotFound()
    if (!effectiveMember) throw notAMember()
  }

  async listAccessible({ userId, roleIds }: Caller, roomIds: readonly string[]): Promise<Map<string, RoomHeader>> {
    const chunks = Array.from({ length: Math.ceil(roomIds.length / roomsPerCall) }, (_, index) =>
      roomIds.slice(index * roomsPerCall, (index + 1) * roomsPerCall),
    )
    const fetch = (chunk: string[]) =>
      this.#rooms.listAccessibleRooms({ userId, roleIds: [...roleIds], roomIds: chunk }, { timeoutMs })
    const answers = await Promise.all(chunks.map(fetch)).catch((error: unknown): never => {
      throw roomsUnavailable(error)
    })
    return new Map(answers.flatMap(({ rooms }) => rooms.map((room) => [room.roomId, room] as const)))
  }

  #accessOf({ userId, roleIds }: Caller, roomId: string) {
    return this.#rooms
      .getRoomAccess({ userId, roleIds: [...roleIds], roomId }, { timeoutMs })
      .catch((error: unknown): never => {
        throw roomsUnavailable(error)
      })
  }
}
