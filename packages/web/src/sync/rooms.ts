import type { MemberClient } from '@parley/client'
import { RoomKind, type RoomWithViewerState } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import {
  emptySidebar,
  type Sidebar,
  sidebarOf,
  withArchivedOf,
  withDmFirst,
  withRooms,
  withUnread,
} from '../store/sidebar.ts'
import { requestSidebar, type SidebarResponses } from './first-reads.ts'
import { createBatcher } from './batcher.ts'
import type { People } from './people.ts'

const maxPerRequest = 100
/** The event about a read marker arrives within this time after the response to the call that sets it. */
const eventDelayMs = 2_000

type Change = (sidebar: Sidebar) => Sidebar

/** The rooms that the viewer can see. */
export class Rooms {
  readonly sidebar = new Cell<Sidebar>(emptySidebar)
  readonly #server: MemberClient
  /**
   * For each awaited request, the oldest first: the changes since it was sent. They are applied to its response, too,
   * which may contain older data.
   */
  readonly #requests = new Set<Change[]>()
  #loads = 0
  /** Number of the newest load whose response has arrived. */
  #shownLoad = 0
  /**
   * Ids of rooms whose events about the read marker are ignored: one entry for each running call that marks a room as
   * read, and one for each room that another tab has just marked.
   */
  readonly #marking: string[] = []
  /**
   * Rooms with a message posted since this page began to mark them as read. That message may be newer than the marker.
   */
  readonly #postedMeanwhile = new Set<string>()
  /** Rooms whose newest message is visible. */
  readonly #watched = new Set<string>()
  readonly #people: People
  readonly #userId: string
  readonly #isMuted: (roomId: string) => boolean | undefined
  /** Reloads a room soon. */
  readonly refresh: (roomId: string) => void
  /** Rooms marked as read elsewhere, whose unread state is reloaded soon. */
  readonly #marked = new Set<string>()
  readonly #refreshMarked: (roomId: string) => void

  /** `isMuted`: whether a room is muted; undefined if unknown. Muted rooms are never marked as unread. */
  constructor(server: MemberClient, people: People, userId: string, isMuted: (roomId: string) => boolean | undefined) {
    this.#isMuted = isMuted
    this.#server = server
    this.#people = people
    this.#userId = userId
    this.refresh = createBatcher(200, (ids) => this.#refresh(ids))
    this.#refreshMarked = createBatcher(200, async (ids) => {
      const due = ids.filter((id) => this.#marked.delete(id))
      await this.#refresh(due).catch((thrown: unknown) => {
        for (const id of due) this.#marked.add(id)
        throw thrown
      })
    })
  }

  /** Loads all rooms. `responses`: the responses, if they have been requested already. */
  async load(responses: SidebarResponses = requestSidebar(this.#server)): Promise<void> {
    const load = ++this.#loads
    await this.#readRooms(
      () => responses,
      ([, { rooms: all }]) => all,
      ([groups, rooms], changes, older) => {
        if (load < this.#shownLoad) return
        this.#shownLoad = load
        const shown = changes.reduce((sidebar, change) => change(sidebar), sidebarOf(groups, rooms))
        for (const waiting of older) waiting.push((sidebar) => withArchivedOf(shown, sidebar))
        this.sidebar.set(shown)
      },
    )
  }

  /**
   * Marks a room with a new message as unread, unless the viewer posted it, sees it already, or has muted the room.
   * A room that is unknown, or whose level is unknown, is reloaded.
   */
  onMessagePosted(roomId: string, actorId: string): void {
    const known = this.sidebar.value.rooms.get(roomId)
    if (known === undefined) this.refresh(roomId)
    if (known?.room?.kind === RoomKind.DM) this.#change((sidebar) => withDmFirst(sidebar, roomId))
    if (actorId === this.#userId || this.#watched.has(roomId)) return
    this.#postedMeanwhile.add(roomId)
    const isMuted = this.#isMuted(roomId)
    if (isMuted === false) this.#setUnread(roomId, true)
    else if (isMuted === undefined && known && !this.#isUnread(roomId)) this.refresh(roomId)
  }

  /**
   * Marks the newest message of a room as visible until the returned function is called: new messages are read at once.
   */
  watch(roomId: string): () => void {
    this.#watched.add(roomId)
    return () => void this.#watched.delete(roomId)
  }

  /** Handles the retraction of a message: the room may have no unread messages left. */
  onMessageRetracted(roomId: string): void {
    if (this.#isUnread(roomId)) this.refresh(roomId)
  }

  /** Handles a user joining or leaving a room. A channel needs no reload for other users. */
  onMemberChanged(roomId: string, userId: string): void {
    const isChannel = this.sidebar.value.rooms.get(roomId)?.room?.kind === RoomKind.CHANNEL
    if (userId === this.#userId || !isChannel) this.refresh(roomId)
  }

  /** Moves the read marker to the newest message; returns its previous time in milliseconds, if it moved. */
  async markRead(roomId: string): Promise<number | undefined> {
    this.#marking.push(roomId)
    this.#postedMeanwhile.delete(roomId)
    const answer = this.#server.api.room.markRoomAsRead({ roomId })
    const { previousLastReadAt, lastReadAt } = await answer.finally(() => this.#endMarking(roomId))
    if (this.#postedMeanwhile.has(roomId)) this.refresh(roomId)
    else this.#setUnread(roomId, false)
    if (!lastReadAt) return undefined
    return previousLastReadAt ? Number(previousLastReadAt.seconds) * 1000 + previousLastReadAt.nanos / 1e6 : 0
  }

  /**
   * Handles a move of the viewer's read marker, on this or another device. A room without unread messages stays as it
   * is.
   */
  onMarkedAsRead(roomId: string): void {
    if (this.#marking.includes(roomId) || !this.#isUnread(roomId)) return
    this.#marked.add(roomId)
    this.#refreshMarked(roomId)
  }

  /** Handles that another tab of this browser has marked a room as read. No request is needed. */
  onReadInOtherTab(roomId: string): void {
    this.#marked.delete(roomId)
    this.#marking.push(roomId)
    setTimeout(() => this.#endMarking(roomId), eventDelayMs)
    this.#setUnread(roomId, false)
  }

  #endMarking(roomId: string): void {
    this.#marking.splice(this.#marking.indexOf(roomId), 1)
  }

  #isUnread(roomId: string): boolean {
    return this.sidebar.value.rooms.get(roomId)?.viewerState?.hasUnread ?? false
  }

  async #refresh(ids: string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += maxPerRequest) {
      const roomIds = ids.slice(from, from + maxPerRequest)
      const request = () => this.#server.api.roomDirectory.batchGetRooms({ roomIds })
      await this.#readRooms(
        request,
        ({ rooms }) => rooms,
        ({ rooms }, changes, older) => {
          const change: Change = (sidebar) => changes.reduce((now, one) => one(now), withRooms(sidebar, rooms))
          for (const waiting of older) waiting.push(change)
          this.sidebar.update(change)
        },
      )
    }
  }

  #setUnread(roomId: string, hasUnread: boolean): void {
    this.#change((sidebar) => withUnread(sidebar, roomId, hasUnread))
  }

  #change(change: Change): void {
    for (const changes of this.#requests) changes.push(change)
    this.sidebar.update(change)
  }

  /**
   * Runs a request, learns the members of direct messages in its response, and shows it. `changes`: those since the
   * request was sent; `older`: the changes of each older request that is still awaited.
   */
  async #readRooms<T>(
    request: () => Promise<T>,
    roomsIn: (response: T) => readonly RoomWithViewerState[],
    show: (response: T, changes: readonly Change[], older: Change[][]) => void,
  ): Promise<void> {
    const changes: Change[] = []
    this.#requests.add(changes)
    try {
      const response = await this.#people.trackChangesDuring(async (changesOfPeople) => {
        const found = await request()
        this.#people.learn(
          roomsIn(found).flatMap(({ dmMembers }) => dmMembers),
          changesOfPeople,
        )
        return found
      })
      const waiting = [...this.#requests]
      show(response, changes, waiting.slice(0, waiting.indexOf(changes)))
    } finally {
      this.#requests.delete(changes)
    }
  }
}
