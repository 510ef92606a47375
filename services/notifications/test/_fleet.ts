import { Code, ConnectError } from '@connectrpc/connect'
import {
  type NotificationLevel,
  NotificationPreferencesService,
  NotificationService,
  type PresenceStatus,
  PushNotificationService,
  RoomKind,
} from '@parley/contracts/api'
import {
  AccountsInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import { ErasureReports, recordEvents, testDatabaseService } from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import { readConfig } from '../src/config.ts'
import { startNotifications } from '../src/service.ts'

export type FakeRoom = {
  members: Set<string>
  dm?: boolean
  universal?: boolean
  name?: string
  roles?: Record<string, string[]>
}

export class FakeServices {
  readonly rooms = new Map<string, FakeRoom>()
  readonly presences = new Map<string, PresenceStatus>()
  presencesUnknown = false
  readonly followers = new Map<string, string[]>()
  readonly deleted = new Set<string>()
  readonly deactivated = new Set<string>()
  /** Ids of invalid credentials. */
  readonly ended = new Set<string>()
  readonly previews = new Map<string, { text: string; attachments?: number }>()
  readonly levels: { userId: string; roomId: string; level: NotificationLevel; version: bigint }[] = []
  readonly calls: string[] = []
  /** Ids of rooms whose members were all requested, once per request. */
  readonly fullyListedRooms: string[] = []
  allUnavailable = false
  readonly unavailableMethods = new Set<string>()
  beforeRecipients: (after: string) => Promise<void> = () => Promise.resolve()

  beforePreviews: () => Promise<void> = () => Promise.resolve()

  room(roomId: string, members: readonly string[], more: Omit<FakeRoom, 'members'> = {}): FakeRoom {
    const room = { members: new Set(members), ...more }
    this.rooms.set(roomId, room)
    return room
  }

  recordCall(method: string): void {
    this.calls.push(method)
    if (this.allUnavailable || this.unavailableMethods.has(method))
      throw new ConnectError('unavailable', Code.Unavailable)
  }
}

/** Other services are fakes on the bus. */
export type Fleet = Awaited<ReturnType<typeof openFleet>>

const services = {
  notifications: NotificationService,
  preferences: NotificationPreferencesService,
  push: PushNotificationService,
}

export const openFleet = () =>
  testDatabaseService(
    {
      ...{ start: startNotifications, readConfig },
      ...{ databaseSetting: 'PARLEY_NOTIFICATIONS_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
    },
    async (harness) => {
      const fakes = new FakeServices()
      const erasures = new ErasureReports()
      await harness.serveFakes(routesOf(fakes, erasures))
      return {
        ...{ fakes, erasures, natsUrl: harness.nats.url },
        published: harness.use(await recordEvents(harness.bus, 'evt.>')),
        as: (userId: string, ...roleIds: string[]) => harness.clients(services, { userId, roleIds }),
        inSession: (userId: string, credentialId: string) => harness.clients(services, { userId, credentialId }),
        internal: harness.client(NotificationsInternalService),
      }
    },
  )

/** Opens a fleet for the tests of a file. */
export const useFleet = () => openForTests(openFleet)

const headerOf = (roomId: string, { dm, universal = false, name = roomId }: FakeRoom) => ({
  ...{ roomId, kind: dm ? RoomKind.DM : RoomKind.CHANNEL, universal, name: dm ? '' : name },
})

const routesOf = (fakes: FakeServices, erasures: ErasureReports) => {
  const { rooms, presences, followers, deleted, deactivated, ended, previews } = fakes
  return (router: ServiceRoutes) => {
    router.service(RoomsInternalService, {
      getRoomAccess: ({ userId, roomId }) => {
        fakes.recordCall('getRoomAccess')
        const room = rooms.get(roomId)
        if (!room) return { exists: false }
        return { exists: true, effectiveMember: room.members.has(userId), room: headerOf(roomId, room) }
      },
      listRecipients: async ({ roomId, userIds, roleIds, all, after, limit }) => {
        fakes.recordCall('listRecipients')
        if (all) fakes.fullyListedRooms.push(roomId)
        await fakes.beforeRecipients(after)
        const room = rooms.get(roomId)
        if (!room) return {}
        const holders = new Set(roleIds.flatMap((id) => room.roles?.[id] ?? []))
        const wanted = [...room.members].filter((id) => all || userIds.includes(id) || holders.has(id))
        const page = wanted.filter((id) => id > after).sort()
        return { userIds: page.slice(0, limit || 1000), room: headerOf(roomId, room) }
      },
      listAccessibleRooms: ({ userId, roomIds }) => {
        fakes.recordCall('listAccessibleRooms')
        const found = roomIds.flatMap((id) => {
          const room = rooms.get(id)
          return room?.members.has(userId) ? [headerOf(id, room)] : []
        })
        return { rooms: found }
      },
    })
    router.service(MessagingInternalService, {
      applyNotificationLevel: ({ userId, roomId, level, version }) => {
        fakes.recordCall('applyNotificationLevel')
        const newest = fakes.levels.findLast((held) => held.userId === userId && held.roomId === roomId)
        fakes.levels.push({ userId, roomId, level, version })
        const held = newest && newest.version > version ? newest : { level, version }
        return { heldLevel: held.level, heldVersion: held.version }
      },
      listThreadFollowers: ({ threadRootEventId, after, limit }) => {
        fakes.recordCall('listThreadFollowers')
        const page = (followers.get(threadRootEventId) ?? []).filter((id) => id > after).sort()
        return { userIds: page.slice(0, limit || 1000) }
      },
      previewMessages: async ({ messages }) => {
        fakes.recordCall('previewMessages')
        await fakes.beforePreviews()
        return {
          messages: messages.flatMap(({ eventId }) => {
            const preview = previews.get(eventId)
            return preview ? [{ eventId, ...preview }] : []
          }),
        }
      },
    })
    router.service(AccountsInternalService, {
      reportErased: erasures.reportErased,
      checkCredentials: ({ credentialIds }) => {
        // Answered even if `allUnavailable` is set, because subscribing needs it.
        if (fakes.unavailableMethods.has('checkCredentials')) throw new ConnectError('unavailable', Code.Unavailable)
        return { credentialIds: credentialIds.filter((id) => !ended.has(id)) }
      },
      getPresences: ({ userIds }) => {
        fakes.recordCall('getPresences')
        if (fakes.presencesUnknown) return { unknown: true }
        return {
          presences: userIds.flatMap((userId) => {
            const status = presences.get(userId)
            return status === undefined ? [] : [{ userId, status }]
          }),
        }
      },
      getProfiles: ({ userIds }) => {
        fakes.recordCall('getProfiles')
        return {
          profiles: userIds.map((id) => {
            const gone = deleted.has(id)
            const avatarUrl = `https://chat.example.org/assets/${id}`
            const name = { login: gone ? '' : id, displayName: gone ? 'Deleted User' : id }
            const user = { id, ...name, deleted: gone, ...(!gone && { avatarUrl }) }
            return { user, deactivated: deactivated.has(id) }
          }),
        }
      },
    })
  }
}
