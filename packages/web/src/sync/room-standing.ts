import { Code, ConnectError, type MemberClient } from '@parley/client'
import type { Room, RoomBan } from '@parley/client/contract'
import type { administration } from '../session/administration.ts'
import { Cell } from '../state/cell.ts'
import { reasonsOf, type Reason } from '../store/explanation.ts'

type Target = { roomId: string; userId: string }
type Administration = Pick<typeof administration, 'permission' | 'roomLayout'>

/**
 * What decides whether a person may post in a room. `isMember` is undefined if the viewer may not see who is in the
 * room.
 */
export type Standing = {
  isMember: boolean | undefined
  ban: RoomBan | 'hidden' | undefined
  isArchived: boolean
  reasons: Reason[]
}

const perPage = 100

export class RoomStanding {
  /** All rooms, including archived ones; undefined until loaded. A viewer who may explain permissions may list them. */
  readonly rooms = new Cell<readonly Room[] | undefined>(undefined)
  /** Undefined while it is loaded, if it could not be loaded, and if no room is chosen. */
  readonly answer = new Cell<Standing | undefined>(undefined)
  readonly failure = new Cell<unknown>(undefined)
  readonly #server: MemberClient
  readonly #administration: Administration
  readonly #userId: string
  readonly #seesMembers: (roomId: string) => boolean
  #latestRequest = 0

  /** `seesMembers`: whether the viewer may see the members of a room. If not, the server is not asked for them. */
  constructor(
    server: MemberClient,
    admin: Administration,
    userId: string,
    seesMembers: (roomId: string) => boolean = () => true,
  ) {
    this.#seesMembers = seesMembers
    this.#server = server
    this.#administration = admin
    this.#userId = userId
  }

  async loadRooms(): Promise<readonly Room[]> {
    const { groups } = await this.#administration.roomLayout.listRoomGroups({})
    const items = groups.flatMap((group) => group.items)
    const rooms = items.flatMap(({ item }) => (item.case === 'room' ? [item.value] : []))
    this.rooms.set(rooms)
    return rooms
  }

  /** Loads the answer for a room; none for ''. Of several calls, the last one counts. */
  async explain(roomId: string): Promise<void> {
    const request = ++this.#latestRequest
    this.answer.set(undefined)
    this.failure.set(undefined)
    if (roomId === '') return
    try {
      const standing = await this.#load({ roomId, userId: this.#userId })
      if (request === this.#latestRequest) this.answer.set(standing)
    } catch (thrown) {
      if (request === this.#latestRequest) this.failure.set(thrown)
    }
  }

  async #load(target: Target): Promise<Standing> {
    const [{ explanations }, isMember, ban, rooms] = await Promise.all([
      this.#administration.permission.explainPermissions(target),
      this.#seesMembers(target.roomId) ? isRoomMember(this.#server, target) : undefined,
      findBan(this.#server, target),
      this.loadRooms(),
    ])
    const room = rooms.find(({ id }) => id === target.roomId)
    return {
      isMember: room?.universal ? true : isMember,
      ban,
      isArchived: room?.archived ?? false,
      reasons: reasonsOf(explanations),
    }
  }
}

/** Whether a person is in a room; undefined if the viewer is not in the room and therefore cannot see its members. */
export async function isRoomMember({ api }: MemberClient, target: Target): Promise<boolean | undefined> {
  try {
    await api.room.getMember(target)
    return true
  } catch (thrown) {
    const { code } = ConnectError.from(thrown)
    if (code === Code.NotFound) return false
    if (code === Code.PermissionDenied) return undefined
    throw thrown
  }
}

/** The ban of a person from a room; undefined if there is none, `hidden` if the viewer may not see bans. */
export async function findBan(
  { api }: MemberClient,
  { roomId, userId }: Target,
): Promise<RoomBan | 'hidden' | undefined> {
  let cursor = ''
  try {
    do {
      const { bans, page } = await api.room.listBans({ roomId, page: { limit: perPage, cursor } })
      const found = bans.find((ban) => ban.userId === userId)
      if (found) return found
      cursor = page?.nextCursor ?? ''
    } while (cursor !== '')
    return undefined
  } catch (thrown) {
    if (ConnectError.from(thrown).code === Code.PermissionDenied) return 'hidden'
    throw thrown
  }
}
