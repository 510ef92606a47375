import type { MemberClient } from '@parley/client'
import { RoomKind, RoomMembershipKind } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { emptySidebar, type Sidebar, sidebarOf, withDmFirst, withRead, withRooms } from '../store/sidebar.ts'
import { gathered } from './gathered.ts'
import type { People } from './people.ts'

const mostAtOnce = 100

/** The rooms that can be seen, and who is in the direct ones. */
export class Rooms {
  readonly sidebar = new Cell<Sidebar>(emptySidebar)
  /** The others in a direct message, by room; they never change. */
  readonly #partners = new Map<string, Cell<readonly string[] | undefined>>()
  readonly #server: MemberClient
  readonly #people: People
  readonly #userId: string
  /** Asks for the state of a room, soon. */
  readonly refresh: (roomId: string) => void
  readonly #askPartners: (roomId: string) => void

  constructor(server: MemberClient, people: People, userId: string) {
    this.#server = server
    this.#people = people
    this.#userId = userId
    this.refresh = gathered(200, (ids) => this.#refresh(ids))
    this.#askPartners = gathered(0, (ids) => this.#readPartners(ids))
  }

  async load(): Promise<void> {
    const { roomDirectory } = this.#server.api
    const [groups, rooms] = await Promise.all([roomDirectory.listRoomGroups({}), roomDirectory.listRooms({})])
    this.sidebar.set(sidebarOf(groups, rooms))
  }

  /** Something was posted in a room: its mark is asked for once, until it is read. */
  posted(roomId: string): void {
    const known = this.sidebar.value.rooms.get(roomId)
    if (known?.room?.kind === RoomKind.DM) this.sidebar.update((sidebar) => withDmFirst(sidebar, roomId))
    if (!known?.viewerState?.hasUnread) this.refresh(roomId)
  }

  /** Moves the marker to the newest message; gives where it stood, in milliseconds, if it was behind. */
  async markRead(roomId: string): Promise<number | undefined> {
    const { previousLastReadAt, lastReadAt } = await this.#server.api.room.markRoomAsRead({ roomId })
    this.sidebar.update((sidebar) => withRead(sidebar, roomId))
    if (!lastReadAt) return undefined
    return previousLastReadAt ? Number(previousLastReadAt.seconds) * 1000 + previousLastReadAt.nanos / 1e6 : 0
  }

  /** The others in a direct message; undefined until known, empty in a conversation with oneself. */
  partners(roomId: string): Cell<readonly string[] | undefined> {
    let cell = this.#partners.get(roomId)
    if (!cell) {
      cell = new Cell<readonly string[] | undefined>(undefined)
      this.#partners.set(roomId, cell)
      this.#askPartners(roomId)
    }
    return cell
  }

  async #readPartners(ids: string[]): Promise<void> {
    for (const roomId of ids) {
      const answer = await this.#server.api.room
        .listMembers({ roomId, membership: RoomMembershipKind.EFFECTIVE })
        .catch(() => undefined)
      const users = answer?.members.flatMap(({ user }) => user ?? [])
      if (!users) continue
      this.#people.learn(users)
      this.#partners.get(roomId)?.set(users.map(({ id }) => id).filter((id) => id !== this.#userId))
    }
  }

  async #refresh(ids: string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += mostAtOnce) {
      const roomIds = ids.slice(from, from + mostAtOnce)
      const found = await this.#server.api.roomDirectory.batchGetRooms({ roomIds }).catch(() => undefined)
      if (found) this.sidebar.update((sidebar) => withRooms(sidebar, found.rooms))
    }
  }
}
