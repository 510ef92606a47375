import type { MemberClient } from '@parley/client'
import { RoomKind, type RoomWithViewerState } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { emptySidebar, type Sidebar, sidebarOf, withDmFirst, withRooms, withUnread } from '../store/sidebar.ts'
import { readSidebar, type SidebarAnswers } from './first-reads.ts'
import { gathered } from './gathered.ts'
import type { People } from './people.ts'

const mostAtOnce = 100
/** The event of a mark comes after its answer, by less than this. */
const eventDelayMs = 2_000

/** The rooms that can be seen. */
export class Rooms {
  readonly sidebar = new Cell<Sidebar>(emptySidebar)
  readonly #server: MemberClient
  /** Rooms that this page is marking as read. */
  readonly #marking = new Set<string>()
  /** Rooms whose newest message somebody looks at. */
  readonly #watched = new Set<string>()
  readonly #people: People
  readonly #userId: string
  readonly #isMuted: (roomId: string) => boolean | undefined
  /** Asks for the state of a room, soon. */
  readonly refresh: (roomId: string) => void
  /** Rooms marked as read somewhere, whose unread state is requested soon. */
  readonly #marked = new Set<string>()
  readonly #refreshMarked: (roomId: string) => void

  /** `isMuted`: whether a room is muted, so that it is never unread; undefined if unknown. */
  constructor(server: MemberClient, people: People, userId: string, isMuted: (roomId: string) => boolean | undefined) {
    this.#isMuted = isMuted
    this.#server = server
    this.#people = people
    this.#userId = userId
    this.refresh = gathered(200, (ids) => this.#refresh(ids))
    this.#refreshMarked = gathered(200, async (ids) => {
      const due = ids.filter((id) => this.#marked.delete(id))
      await this.#refresh(due).catch((thrown: unknown) => {
        for (const id of due) this.#marked.add(id)
        throw thrown
      })
    })
  }

  /** Reads all rooms, unless they have been requested already. */
  async load(asked: SidebarAnswers = readSidebar(this.#server)): Promise<void> {
    const [groups, rooms] = await this.#reading(
      () => asked,
      ([, { rooms: all }]) => all,
    )
    this.sidebar.set(sidebarOf(groups, rooms))
  }

  /**
   * A message was posted in a room, which becomes unread unless the user posted it, is looking at the room, or has
   * muted it. Asks the server only if that is unknown.
   */
  posted(roomId: string, actorId: string): void {
    const known = this.sidebar.value.rooms.get(roomId)
    if (known === undefined) return this.refresh(roomId)
    if (known.room?.kind === RoomKind.DM) this.sidebar.update((sidebar) => withDmFirst(sidebar, roomId))
    if (actorId === this.#userId || this.#isUnread(roomId) || this.#watched.has(roomId)) return
    const isMuted = this.#isMuted(roomId)
    if (isMuted === undefined) this.refresh(roomId)
    else if (!isMuted) this.sidebar.update((sidebar) => withUnread(sidebar, roomId, true))
  }

  /** Somebody looks at the newest message of a room, until the answer is called: what comes is read at once. */
  watch(roomId: string): () => void {
    this.#watched.add(roomId)
    return () => void this.#watched.delete(roomId)
  }

  /** A message was retracted: the room may have no unread messages left. */
  retracted(roomId: string): void {
    if (this.#isUnread(roomId)) this.refresh(roomId)
  }

  /** Somebody joined or left: for others, the display of a channel does not change. */
  memberChanged(roomId: string, userId: string): void {
    const isChannel = this.sidebar.value.rooms.get(roomId)?.room?.kind === RoomKind.CHANNEL
    if (userId === this.#userId || !isChannel) this.refresh(roomId)
  }

  /** Moves the marker to the newest message; gives where it stood, in milliseconds, if it was behind. */
  async markRead(roomId: string): Promise<number | undefined> {
    this.#marking.add(roomId)
    const answer = this.#server.api.room.markRoomAsRead({ roomId })
    const { previousLastReadAt, lastReadAt } = await answer.finally(() => this.#marking.delete(roomId))
    this.sidebar.update((sidebar) => withUnread(sidebar, roomId, false))
    if (!lastReadAt) return undefined
    return previousLastReadAt ? Number(previousLastReadAt.seconds) * 1000 + previousLastReadAt.nanos / 1e6 : 0
  }

  /** A marker of the viewer moved on, here or elsewhere: what is not unread stays so. */
  markedAsRead(roomId: string): void {
    if (this.#marking.has(roomId) || !this.#isUnread(roomId)) return
    this.#marked.add(roomId)
    this.#refreshMarked(roomId)
  }

  /** Another tab of this browser has marked a room as read: the server need not be asked. */
  readInOtherTab(roomId: string): void {
    this.#marked.delete(roomId)
    this.#marking.add(roomId)
    setTimeout(() => this.#marking.delete(roomId), eventDelayMs)
    this.sidebar.update((sidebar) => withUnread(sidebar, roomId, false))
  }

  #isUnread(roomId: string): boolean {
    return this.sidebar.value.rooms.get(roomId)?.viewerState?.hasUnread ?? false
  }

  async #refresh(ids: string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += mostAtOnce) {
      const roomIds = ids.slice(from, from + mostAtOnce)
      const request = () => this.#server.api.roomDirectory.batchGetRooms({ roomIds })
      const found = await this.#reading(request, ({ rooms }) => rooms)
      this.sidebar.update((sidebar) => withRooms(sidebar, found.rooms))
    }
  }

  /** Runs a request, and learns the members of direct messages in its response. */
  #reading<T>(request: () => Promise<T>, roomsIn: (response: T) => readonly RoomWithViewerState[]): Promise<T> {
    return this.#people.reading(async (changes) => {
      const response = await request()
      const members = roomsIn(response).flatMap(({ dmMembers }) => dmMembers)
      this.#people.learn(members, changes)
      return response
    })
  }
}
