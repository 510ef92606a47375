import type { ServiceImpl } from '@connectrpc/connect'
import { RoomKind } from '@parley/contracts/api'
import type {
  AccountsInternalService,
  GetRoomAccessRequest,
  ListAccessibleRoomsRequest,
  ListRecipientsRequest,
  MessagingInternalService,
  RoomEvent,
  RoomsInternalService,
} from '@parley/contracts/internal'

type Room = { members: Set<string>; archived: boolean; kind: RoomKind; name: string }

export class FakeRooms {
  readonly #rooms = new Map<string, Room>()
  beforeAccess: ((request: GetRoomAccessRequest) => void) | undefined
  beforeRecipients: ((request: ListRecipientsRequest) => void) | undefined

  set(roomId: string, members: string[], changes: Partial<Omit<Room, 'members'>> = {}): void {
    const room = { archived: false, kind: RoomKind.CHANNEL, name: 'general', ...changes }
    this.#rooms.set(roomId, { members: new Set(members), ...room })
  }

  remove(roomId: string, userId: string): void {
    this.#rooms.get(roomId)?.members.delete(userId)
  }

  readonly getRoomAccess: ServiceImpl<typeof RoomsInternalService>['getRoomAccess'] = (request) => {
    this.beforeAccess?.(request)
    const room = this.#header(request.roomId)
    if (!room) return { exists: false }
    return { exists: true, effectiveMember: this.#has(request.roomId, request.userId), room }
  }

  readonly listAccessibleRooms = ({ userId, roomIds }: ListAccessibleRoomsRequest) => ({
    rooms: roomIds.filter((roomId) => this.#has(roomId, userId)).flatMap((roomId) => this.#header(roomId) ?? []),
  })

  readonly listRecipients = (request: ListRecipientsRequest) => {
    this.beforeRecipients?.(request)
    const { roomId, userIds } = request
    return { userIds: userIds.filter((userId) => this.#has(roomId, userId)).sort() }
  }

  #has(roomId: string, userId: string): boolean {
    return this.#rooms.get(roomId)?.members.has(userId) ?? false
  }

  #header(roomId: string) {
    const room = this.#rooms.get(roomId)
    const { kind, archived, name } = room ?? {}
    return (
      room && { roomId, kind: kind ?? RoomKind.CHANNEL, archived: archived ?? false, name: name ?? '', version: 1n }
    )
  }
}

/** Keeps an event only if its version is above those kept of its aggregate. */
export class FakeMessaging {
  readonly events: (RoomEvent & { roomId: string })[] = []

  readonly applyRoomEvents: ServiceImpl<typeof MessagingInternalService>['applyRoomEvents'] = ({ roomId, events }) => {
    for (const event of events) {
      const held = this.events.filter(({ aggregateId }) => aggregateId === event.aggregateId)
      if (held.every(({ version }) => version < event.version)) this.events.push({ ...event, roomId })
    }
    return {}
  }

  /** Each event as text: kind, the user who joined or left, and how the change was detected. */
  eventsOf(roomId: string): string[] {
    return this.events
      .filter((event) => event.roomId === roomId)
      .map(({ kind, fact }) => [kind, ...(fact.case === 'call' ? [fact.value.userId, fact.value.source] : [])])
      .map((parts) => parts.filter((part) => part !== '').join(' '))
  }
}

/** Every user exists and is named after their id. */
export class FakeAccounts {
  readonly deactivated = new Set<string>()
  beforeProfiles: ((userIds: readonly string[]) => void) | undefined

  readonly getProfiles: ServiceImpl<typeof AccountsInternalService>['getProfiles'] = ({ userIds }) => {
    this.beforeProfiles?.(userIds)
    return {
      profiles: userIds.map((id) => ({
        user: { id, login: id.toLowerCase(), displayName: `Person ${id}`, avatarUrl: `https://chat.example.org/${id}` },
        deactivated: this.deactivated.has(id),
      })),
    }
  }
}
