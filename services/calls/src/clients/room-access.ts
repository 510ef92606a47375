import type { Client } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import type { RoomHeader, RoomsInternalService } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { notAMember, roomNotFound, roomsUnavailable } from '../errors.ts'
import { listErased } from '../store/erased.ts'

const timeoutMs = 3_000
const roomsPerCall = 500
const usersPerCall = 1_000

type RoomUser = Pick<Caller, 'userId' | 'roleIds'>

/** Nothing is cached: a ban takes effect with the next request. */
export class RoomAccess {
  readonly #rooms: Client<typeof RoomsInternalService>
  readonly #db: Db

  constructor(rooms: Client<typeof RoomsInternalService>, db: Db) {
    this.#rooms = rooms
    this.#db = db
  }

  /** Returns the room if the user is an effective member. Throws `not_found`, `permission_denied` or `unavailable`. */
  async assertMember({ userId, roleIds }: RoomUser, roomId: string): Promise<RoomHeader> {
    const { exists, effectiveMember, room } = await this.#call((options) =>
      this.#rooms.getRoomAccess({ userId, roomId, roleIds: [...roleIds] }, options),
    )
    if (!exists || !room) throw roomNotFound()
    if (!effectiveMember) throw notAMember()
    return room
  }

  async listAccessible({ userId, roleIds }: RoomUser, roomIds: readonly string[]): Promise<Map<string, RoomHeader>> {
    const found = new Map<string, RoomHeader>()
    for (const chunk of chunks(roomIds, roomsPerCall)) {
      const { rooms } = await this.#call((options) =>
        this.#rooms.listAccessibleRooms({ userId, roleIds: [...roleIds], roomIds: chunk }, options),
      )
      for (const room of rooms) found.set(room.roomId, room)
    }
    return found
  }

  /**
   * Finds effective members among the users. Leaves out deleted accounts, even if the service `rooms` still lists them.
   */
  async findMembers(roomId: string, userIds: readonly string[]): Promise<Set<string>> {
    const members = new Set<string>()
    for (const chunk of chunks(userIds, usersPerCall)) {
      const answer = await this.#call((options) =>
        this.#rooms.listRecipients({ roomId, userIds: chunk, limit: usersPerCall }, options),
      )
      for (const userId of answer.userIds) members.add(userId)
    }
    for (const userId of await listErased(this.#db, userIds)) members.delete(userId)
    return members
  }

  async #call<T>(call: (options: { timeoutMs: number }) => Promise<T>): Promise<T> {
    try {
      return await call({ timeoutMs })
    } catch (error) {
      throw roomsUnavailable(error)
    }
  }
}

function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
