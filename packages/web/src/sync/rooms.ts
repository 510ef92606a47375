import type { MemberClient } from '@parley/client'
import { RoomKind, type RoomWithViewerState } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { emptySidebar, type Sidebar, sidebarOf, withDmFirst, withRead, withRooms } from '../store/sidebar.ts'
import { gathered } from './gathered.ts'
import type { People } from './people.ts'

const mostAtOnce = 100

/** The rooms that can be seen. */
export class Rooms {
  readonly sidebar = new Cell<Sidebar>(emptySidebar)
  readonly #server: MemberClient
  /** Rooms that this page is marking as read. */
  readonly #marking = new Set<string>()
  readonly #people: People
  readonly #userId: string
  /** Asks for the state of a room, soon. */
  readonly refresh: (roomId: string) => void

  constructor(server: MemberClient, people: People, userId: string) {
    this.#server = server
    this.#people = people
    this.#userId = userId
    this.refresh = gathered(200, (ids) => this.#refresh(ids))
  }

  async load(): Promise<void> {
    const { roomDirectory } = this.#server.api
    const [groups, rooms] = await Promise.all([roomDirectory.listRoomGroups({}), roomDirectory.listRooms({})])
    this.#learn(rooms.rooms)
    this.sidebar.set(sidebarOf(groups, rooms))
  }

  /** Something was posted in a room: its mark is asked for once, until it is read. What one posts oneself is never unread. */
  posted(roomId: string, actorId: string): void {
    const known = this.sidebar.value.rooms.get(roomId)
    if (known?.room?.kind === RoomKind.DM) this.sidebar.update((sidebar) => withDmFirst(sidebar, roomId))
    const isMine = known !== undefined && actorId === this.#userId
    if (!isMine && !known?.viewerState?.hasUnread) this.refresh(roomId)
  }

  /** Moves the marker to the newest message; gives where it stood, in milliseconds, if it was behind. */
  async markRead(roomId: string): Promise<number | undefined> {
    this.#marking.add(roomId)
    const answer = this.#server.api.room.markRoomAsRead({ roomId })
    const { previousLastReadAt, lastReadAt } = await answer.finally(() => this.#marking.delete(roomId))
    this.sidebar.update((sidebar) => withRead(sidebar, roomId))
    if (!lastReadAt) return undefined
    return previousLastReadAt ? Number(previousLastReadAt.seconds) * 1000 + previousLastReadAt.nanos / 1e6 : 0
  }

  /** A marker of the viewer moved on, here or elsewhere: what is not unread stays so. */
  markedAsRead(roomId: string): void {
    if (this.#marking.has(roomId)) return
    if (this.sidebar.value.rooms.get(roomId)?.viewerState?.hasUnread) this.refresh(roomId)
  }

  async #refresh(ids: string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += mostAtOnce) {
      const roomIds = ids.slice(from, from + mostAtOnce)
      const found = await this.#server.api.roomDirectory.batchGetRooms({ roomIds }).catch(() => undefined)
      if (!found) continue
      this.#learn(found.rooms)
      this.sidebar.update((sidebar) => withRooms(sidebar, found.rooms))
    }
  }

  #learn(rooms: readonly RoomWithViewerState[]): void {
    this.#people.learn(rooms.flatMap(({ dmMembers }) => dmMembers))
  }
}
