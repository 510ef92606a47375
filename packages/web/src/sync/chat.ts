import type { MemberClient } from '@parley/client'
import {
  type GetServerResponse,
  type GetViewerResponse,
  type Message,
  NotificationLevel,
  type Role,
} from '@parley/client/contract'
import { text } from '../messages/texts.ts'
import { Cell } from '../state/cell.ts'
import { read } from '../state/read.ts'
import { whenIdle } from '../state/when-idle.ts'
import { placeOf } from '../store/unsent.ts'
import { changedMessage, readChanged } from './changed-messages.ts'
import { openingOf } from './early-events.ts'
import type { FirstReads } from './first-reads.ts'
import { FollowedThreads } from './followed-threads.ts'
import { catchUpWhenOpen } from './catch-up-when-open.ts'
import { gathered } from './gathered.ts'
import { Inbox } from './inbox.ts'
import { takeEvent } from './on-event.ts'
import { Motd } from './motd.ts'
import { MyPresence } from './my-presence.ts'
import { PendingFiles } from './pending-files.ts'
import { People } from './people.ts'
import { Rooms } from './rooms.ts'
import { Sender } from './sender.ts'
import type { SharedEvents } from './shared-events.ts'
import { type FirstPage, roomSource, threadSource } from './sources.ts'
import { Timeline, type TimelineSource } from './timeline.ts'
import { Typing } from './typing.ts'

const firstDrawDelayMs = 150

const nameOf = ({ profile }: GetServerResponse): string => profile?.name || 'Parley'

/** Parts that are loaded as a whole. */
type Part = 'sidebar' | 'server' | 'viewer'

/** Everything a signed-in person's page knows and follows. */
export class Chat {
  readonly server: MemberClient
  /** The signed-in user and their permissions. */
  readonly viewer: Cell<GetViewerResponse>
  readonly userId: string
  readonly people: People
  readonly rooms: Rooms
  readonly inbox: Inbox
  readonly followed: FollowedThreads
  readonly typing: Typing
  readonly presence: MyPresence
  readonly files: PendingFiles
  readonly sender: Sender
  /** Name of the server. */
  readonly serverName: Cell<string>
  readonly motd: Motd
  readonly events: SharedEvents
  /** Whether the first requests have been sent, or take long: further rendering happens while they are answered. */
  readonly firstRequestsSent = new Cell(false)
  /** Whether the sidebar has been loaded. */
  readonly loaded = new Cell(false)
  readonly #motdVersion: bigint | undefined
  readonly #reads: Promise<FirstReads>
  readonly #timelines = new Map<string, Timeline>()
  readonly #refreshMessages: (key: string) => void
  readonly #viewerChanged: (key: string) => void
  readonly #readPart: (part: Part) => void

  constructor(server: MemberClient, viewer: GetViewerResponse, described: GetServerResponse) {
    this.serverName = new Cell(nameOf(described))
    this.#motdVersion = described.motdVersion
    this.server = server
    this.viewer = new Cell(viewer)
    const profile = viewer.user?.profile
    this.userId = profile?.id ?? ''
    this.people = new People(server, this.userId, text('profile.deleted'))
    if (profile) this.people.learn([profile])
    this.rooms = new Rooms(server, this.people, this.userId, (roomId) => this.#isMuted(roomId))
    this.inbox = new Inbox(server, this.people)
    this.followed = new FollowedThreads(server, this.people, viewer.capabilities?.hasUnreadFollowedThreads ?? false)
    this.typing = new Typing(server)
    this.motd = new Motd(server, this.userId)
    this.files = new PendingFiles(server)
    this.sender = new Sender(server, this.userId, (unsent) => void this.timelineAt(placeOf(unsent))?.catchUp())
    const { events, reads } = openingOf(server, this.userId)
    this.events = events
    this.#reads = reads
    this.presence = new MyPresence(server, this.userId, (presenceStatus) =>
      this.people.patch(this.userId, { presenceStatus }),
    )
    catchUpWhenOpen(this.events.connection, this)
    this.#refreshMessages = gathered(40, (changed) => readChanged(changed, (roomId) => this.timelinesOf(roomId)))
    // A decision may affect everybody, so clients reload at random times, when every service has received it.
    this.#viewerChanged = gathered(200 + Math.random() * 300, async () => {
      await Promise.all([this.#readViewer(), this.rooms.load()])
    })
    const parts: Record<Part, () => Promise<void>> = {
      sidebar: () => this.rooms.load(),
      server: () => this.#readServer(),
      viewer: () => this.#readViewer(),
    }
    this.#readPart = gathered(0, async (named) => void (await Promise.all(named.map((part) => parts[part]()))))
  }

  /** Shows the first responses, then applies all events since the requests began. */
  async start(): Promise<void> {
    void this.sender.resume()
    setTimeout(() => this.firstRequestsSent.set(true), firstDrawDelayMs)
    const { room, sidebar } = await this.#reads
    if (room) this.room(room.id, room.page)
    // Before the events, which may be newer than the response.
    const answered = this.rooms.load(sidebar)
    this.events.listen({
      onEvent: (envelope) => takeEvent(this, envelope),
      onReset: () => this.readAnew(),
      onRead: (roomId) => this.rooms.readInOtherTab(roomId),
    })
    // Rendering delays requests that have not been sent yet.
    setTimeout(() => this.firstRequestsSent.set(true))
    await answered
    this.loaded.set(true)
    whenIdle(() => this.inbox.refresh())
    await this.motd.changed(this.#motdVersion).catch(() => undefined)
  }

  /** The timeline of a room, loaded when it is first wanted. `newest`: its newest rows, already requested. */
  room(roomId: string, newest?: FirstPage): Timeline {
    return this.#timeline(placeOf({ roomId, threadRootEventId: '' }), () =>
      roomSource(this.server, this.people, roomId, newest),
    )
  }

  /** The timeline of a thread. */
  thread(roomId: string, threadRootEventId: string): Timeline {
    return this.#timeline(placeOf({ roomId, threadRootEventId }), () =>
      threadSource(this.server, this.people, roomId, threadRootEventId),
    )
  }

  /** The timeline of a place, if this page has it. */
  timelineAt(place: string): Timeline | undefined {
    return this.#timelines.get(place)
  }

  /** The loaded timelines of a room: its own, and those of its threads. */
  timelinesOf(roomId: string): Timeline[] {
    return [...this.#timelines].filter(([place]) => place.startsWith(`${roomId}/`)).map(([, timeline]) => timeline)
  }

  /** Reloads a message soon, if it is shown. */
  refreshMessage(roomId: string, messageId: string): void {
    this.#refreshMessages(changedMessage(roomId, messageId))
  }

  /** Adds a message from a response, so that it is shown at once. */
  show(message: Message): void {
    for (const timeline of this.timelinesOf(message.roomId)) timeline.show(message)
  }

  /** Reloads everything shown, because events may have been missed. */
  readAnew(): void {
    this.readSidebar()
    this.readServer()
    this.#readPart('viewer')
    this.inbox.refresh()
    this.followed.changed()
    for (const [place, timeline] of this.#timelines) {
      if (timeline.isOpen) void timeline.readAnew()
      else this.#timelines.delete(place)
    }
  }

  /** An account was deleted, and with it all of its messages. */
  memberDeleted(userId: string, at: Message['deletedAt']): void {
    this.people.markDeleted(userId)
    for (const timeline of this.#timelines.values()) timeline.authorDeleted(userId, at)
  }

  readSidebar(): void {
    this.#readPart('sidebar')
  }

  /** Moves the viewer's marker to the newest message; returns where it was, in milliseconds, if it was behind. */
  async markRead(roomId: string): Promise<number | undefined> {
    const stood = await this.rooms.markRead(roomId)
    this.events.broadcastRead(roomId)
    return stood
  }

  /** The viewer's permissions on the server or in rooms, or their notification levels, have changed. */
  viewerChanged(): void {
    this.#viewerChanged('')
  }

  /** The server may be called something else, or have another message of the day. */
  readServer(): void {
    this.#readPart('server')
  }

  /** Whether the viewer has a permission for the whole server; reactive in Svelte. */
  may(permission: string): boolean {
    const grants = read(this.viewer).viewerPermissions?.permissions ?? []
    return grants.some((grant) => grant.permission === permission && grant.granted)
  }

  /** The role mentioned by `@name`, if it can be mentioned; reactive in Svelte. */
  mentionableRole(name: string): Role | undefined {
    const called = name.toLowerCase()
    return read(this.viewer).mentionableRoles.find((role) => role.name === called)
  }

  close(): void {
    this.events.close()
    this.sender.close()
    this.presence.close()
    this.motd.close()
  }

  #isMuted(roomId: string): boolean | undefined {
    const { serverNotificationPreference, roomNotificationPreferences } = this.viewer.value
    const ofRoom = roomNotificationPreferences.find((one) => one.roomId === roomId)?.preference
    const { effectiveLevel } = ofRoom ?? serverNotificationPreference ?? {}
    return effectiveLevel === undefined ? undefined : effectiveLevel === NotificationLevel.MUTED
  }

  async #readServer(): Promise<void> {
    const described = await this.server.discovery.getServer({})
    this.serverName.set(nameOf(described))
    await this.motd.changed(described.motdVersion)
  }

  async #readViewer(): Promise<void> {
    this.viewer.set(await this.server.api.viewer.getViewer({}))
  }

  #timeline(place: string, source: () => TimelineSource): Timeline {
    let timeline = this.#timelines.get(place)
    if (!timeline) {
      timeline = new Timeline(source())
      this.#timelines.set(place, timeline)
      timeline.window.subscribe(() => this.#readBack(place))
      void timeline.reload()
    }
    return timeline
  }

  #readBack(place: string): void {
    const rows = this.#timelines.get(place)?.window.value?.rows ?? []
    if (this.sender.queue.value.length > 0) this.sender.posted(new Set(rows.map(({ id }) => id)))
  }
}
