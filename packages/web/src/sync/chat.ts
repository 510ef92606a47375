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
import { conversationOf } from '../store/unsent.ts'
import { changedMessageKey, reloadChanged } from './changed-messages.ts'
import { takeOpening } from './early-events.ts'
import type { FirstReads } from './first-reads.ts'
import { FollowedThreads } from './followed-threads.ts'
import { catchUpWhenOpen } from './catch-up-when-open.ts'
import { createBatcher } from './batcher.ts'
import { Inbox } from './inbox.ts'
import { applyEvent } from './on-event.ts'
import { Motd } from './motd.ts'
import { MyPresence } from './my-presence.ts'
import { type PendingFiles, pendingFilesOf } from './pending-files.ts'
import { People } from './people.ts'
import { Rooms } from './rooms.ts'
import { Sender } from './sender.ts'
import type { SharedEvents } from './shared-events.ts'
import { type FirstPage, roomSource, threadSource } from './sources.ts'
import { Timeline, type TimelineSource } from './timeline.ts'
import { Typing } from './typing.ts'

const maxRenderDelayMs = 150

const nameOf = ({ profile }: GetServerResponse): string => profile?.name || 'Parley'

type Part = 'sidebar' | 'server' | 'viewer'

export class Chat {
  readonly server: MemberClient
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
  readonly serverName: Cell<string>
  readonly motd: Motd
  readonly events: SharedEvents
  /** True once the first requests have been sent, after 150 ms at the latest. Rendering earlier would delay them. */
  readonly firstRequestsSent = new Cell(false)
  readonly loaded = new Cell(false)
  readonly #motdVersion: bigint | undefined
  readonly #reads: Promise<FirstReads>
  readonly #timelines = new Map<string, Timeline>()
  readonly #refreshMessages: (key: string) => void
  readonly #reloadViewerSoon: (key: string) => void
  readonly #reloadPart: (part: Part) => void

  constructor(server: MemberClient, viewer: GetViewerResponse, serverInfo: GetServerResponse) {
    this.serverName = new Cell(nameOf(serverInfo))
    this.#motdVersion = serverInfo.motdVersion
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
    this.files = pendingFilesOf(server, this.userId)
    this.sender = new Sender(server, this.userId, (unsent) => void this.timelineAt(conversationOf(unsent))?.catchUp())
    const { events, reads } = takeOpening(server, this.userId)
    this.events = events
    this.#reads = reads
    this.presence = new MyPresence(server, this.userId, (presenceStatus) =>
      this.people.patch(this.userId, { presenceStatus }),
    )
    catchUpWhenOpen(this.events.connection, this)
    this.#refreshMessages = createBatcher(40, (changed) => reloadChanged(changed, (roomId) => this.timelinesOf(roomId)))
    // A change of permissions may affect all users, so each client waits a random time.
    this.#reloadViewerSoon = createBatcher(200 + Math.random() * 300, async () => {
      await Promise.all([this.#readViewer(), this.rooms.load()])
    })
    const parts: Record<Part, () => Promise<void>> = {
      sidebar: () => this.rooms.load().then(() => this.loaded.set(true)),
      server: () => this.#reloadServer(),
      viewer: () => this.#readViewer(),
    }
    this.#reloadPart = createBatcher(0, async (named) => void (await Promise.all(named.map((part) => parts[part]()))))
  }

  /** Shows the first responses, then applies all events since their requests were sent: an event may be newer. */
  async start(): Promise<void> {
    void this.sender.resume()
    setTimeout(() => this.firstRequestsSent.set(true), maxRenderDelayMs)
    const { room, sidebar } = await this.#reads
    if (room) this.room(room.id, room.page)
    const loading = this.rooms.load(sidebar)
    this.events.listen({
      onEvent: (envelope) => applyEvent(this, envelope),
      onReset: () => this.reloadShown(),
      onRead: (roomId) => this.rooms.onReadInOtherTab(roomId),
    })
    setTimeout(() => this.firstRequestsSent.set(true))
    await loading
    this.loaded.set(true)
    whenIdle(() => this.inbox.refresh())
    await this.motd.update(this.#motdVersion).catch(() => undefined)
  }

  /** `newest`: the newest rows, if they have been requested already. */
  room(roomId: string, newest?: FirstPage): Timeline {
    return this.#timeline(conversationOf({ roomId, threadRootEventId: '' }), () =>
      roomSource(this.server, this.people, roomId, newest),
    )
  }

  thread(roomId: string, threadRootEventId: string): Timeline {
    return this.#timeline(conversationOf({ roomId, threadRootEventId }), () =>
      threadSource(this.server, this.people, roomId, threadRootEventId),
    )
  }

  timelineAt(conversation: string): Timeline | undefined {
    return this.#timelines.get(conversation)
  }

  /** The loaded timelines of a room: its own, and those of its threads. */
  timelinesOf(roomId: string): Timeline[] {
    return [...this.#timelines].filter(([key]) => key.startsWith(`${roomId}/`)).map(([, timeline]) => timeline)
  }

  refreshMessage(roomId: string, messageId: string): void {
    this.#refreshMessages(changedMessageKey(roomId, messageId))
  }

  show(message: Message): void {
    for (const timeline of this.timelinesOf(message.roomId)) timeline.show(message)
  }

  reloadShown(): void {
    this.reloadSidebar()
    this.reloadServer()
    this.#reloadPart('viewer')
    this.inbox.refresh()
    this.followed.refreshIfNeeded()
    for (const [conversation, timeline] of this.#timelines) {
      if (timeline.isOpen) void timeline.reloadShown()
      else this.#timelines.delete(conversation)
    }
  }

  onMemberDeleted(userId: string, at: Message['deletedAt']): void {
    this.people.markDeleted(userId)
    for (const timeline of this.#timelines.values()) timeline.onAuthorDeleted(userId, at)
  }

  reloadSidebar(): void {
    this.#reloadPart('sidebar')
  }

  /** Returns the previous time of the read marker in milliseconds (0 if there was none), if the marker moved. */
  async markRead(roomId: string): Promise<number | undefined> {
    const previous = await this.rooms.markRead(roomId)
    this.events.broadcastRead(roomId)
    return previous
  }

  reloadViewerSoon(): void {
    this.#reloadViewerSoon('')
  }

  reloadServer(): void {
    this.#reloadPart('server')
  }

  /** Whether the viewer has a permission for the whole server; reactive in Svelte. */
  may(permission: string): boolean {
    const grants = read(this.viewer).viewerPermissions?.permissions ?? []
    return grants.some((grant) => grant.permission === permission && grant.granted)
  }

  /** The role mentioned by `@name`, if it can be mentioned; reactive in Svelte. */
  mentionableRole(name: string): Role | undefined {
    const lowerCaseName = name.toLowerCase()
    return read(this.viewer).mentionableRoles.find((role) => role.name === lowerCaseName)
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

  async #reloadServer(): Promise<void> {
    const serverInfo = await this.server.discovery.getServer({})
    this.serverName.set(nameOf(serverInfo))
    await this.motd.update(serverInfo.motdVersion)
  }

  async #readViewer(): Promise<void> {
    this.viewer.set(await this.server.api.viewer.getViewer({}))
  }

  #timeline(conversation: string, source: () => TimelineSource): Timeline {
    let timeline = this.#timelines.get(conversation)
    if (!timeline) {
      timeline = new Timeline(source())
      this.#timelines.set(conversation, timeline)
      timeline.window.subscribe(() => this.#removePosted(conversation))
      void timeline.reload()
    }
    return timeline
  }

  #removePosted(conversation: string): void {
    const rows = this.#timelines.get(conversation)?.window.value?.rows ?? []
    if (this.sender.queue.value.length > 0) this.sender.removePosted(new Set(rows.map(({ id }) => id)))
  }
}
