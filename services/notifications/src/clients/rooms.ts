import type { Client } from '@connectrpc/connect'
import type { Caller } from '@parley/auth'
import type { RoomsInternalService } from '@parley/contracts/internal'
import { notAMember, roomNotFound, roomsSilent } from '../errors.ts'

const timeoutMs = 3_000

/** What rooms says of who belongs where. */
export class RoomAccess {
  readonly #rooms: Client<typeof RoomsInternalService>

  constructor(rooms: Client<typeof RoomsInternalService>) {
    this.#rooms = rooms
  }

  /** Refuses whoever is no effective member. */
  async assertMember(caller: Caller, roomId: string): Promise<void> {
    const { exists, effectiveMember } = await this.#ask(caller, roomId)
    if (!exists) throw roomNotFound()
    if (!effectiveMember) throw notAMember()
  }

  async isMember(caller: Caller, roomId: string): Promise<boolean> {
    return (await this.#ask(caller, roomId)).effectiveMember
  }

  #ask({ userId, roleIds }: Caller, roomId: string) {
    return this.#rooms
      .getRoomAccess({ userId, roleIds: [...roleIds], roomId }, { timeoutMs })
      .catch((error: unknown): never => {
        throw roomsSilent(error)
      })
  }
}
