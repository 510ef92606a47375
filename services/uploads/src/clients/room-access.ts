import type { Client } from '@connectrpc/connect'
import type { GetRoomAccessResponse, RoomsInternalService } from '@parley/contracts/internal'
import { roomsSilent } from '../errors.ts'

/** Who asks; without roles those count that rooms has heard of. */
export type Reader = { userId: string; roleIds?: readonly string[] }

const timeoutMs = 3_000
const goodForMs = 5_000
const mostRemembered = 10_000

/** What rooms says of who belongs where. */
export class RoomAccess {
  readonly #rooms: Client<typeof RoomsInternalService>
  readonly #now: () => Date
  /** Until when a yes may be repeated, oldest first; a no is never kept. */
  readonly #yes = new Map<string, number>()

  constructor(rooms: Client<typeof RoomsInternalService>, now: () => Date) {
    this.#rooms = rooms
    this.#now = now
  }

  async ask({ userId, roleIds }: Reader, roomId: string): Promise<GetRoomAccessResponse> {
    const roles = roleIds === undefined ? { heardRoles: true } : { roleIds: [...roleIds] }
    try {
      return await this.#rooms.getRoomAccess({ userId, roomId, ...roles }, { timeoutMs })
    } catch (error) {
      throw roomsSilent(error)
    }
  }

  /** Whether somebody may read in a room. A yes may be 5 s old. */
  async mayRead(reader: Reader, roomId: string): Promise<boolean> {
    const key = `${reader.userId} ${roomId}`
    const now = this.#now().getTime()
    if ((this.#yes.get(key) ?? 0) > now) return true
    this.#yes.delete(key)
    const { exists, effectiveMember } = await this.ask(reader, roomId)
    if (!exists || !effectiveMember) return false
    this.#yes.set(key, now + goodForMs)
    const [oldest] = this.#yes.keys()
    if (this.#yes.size > mostRemembered && oldest !== undefined) this.#yes.delete(oldest)
    return true
  }
}
