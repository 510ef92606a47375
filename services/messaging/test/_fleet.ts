import { Code, ConnectError } from '@connectrpc/connect'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { MessageService, RoomService, ThreadService, type NotificationLevel } from '@parley/contracts/api'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  type PreviewLinkResponseSchema,
  UploadsInternalService,
} from '@parley/contracts/internal'
import type { ServiceRoutes } from '@parley/rpc'
import {
  ErasureReports,
  eventually,
  publishEvents,
  standardPolicy,
  testDatabaseService,
  type TestDatabaseOptions,
} from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import type { VideoOutcome } from '../src/clients/video-outcomes.ts'
import { readConfig, type Config } from '../src/config.ts'
import { startMessaging, type Overrides } from '../src/service.ts'
import { RoomFeed } from './_room-feed.ts'

type PreviewAnswer = MessageInitShape<typeof PreviewLinkResponseSchema>

type FleetOptions = { processes?: number } & TestDatabaseOptions & Overrides

export type Fleet = Awaited<ReturnType<typeof startFleet>>
export type Person = ReturnType<Fleet['as']>

const settings = {
  PARLEY_DATABASE_POOL: '6',
  PARLEY_DRAIN_TIMEOUT: '2s',
  PARLEY_WEBSERVER_URL: 'http://localhost:8080',
  PARLEY_CORE_ASSETS_SIGNING_SECRET: 'the secret for signed asset URLs in tests',
}

/** Starts processes of messaging with a database and NATS server of their own, and fakes of other services. */
export const startFleet = ({ processes = 1, outages = false, ...overrides }: FleetOptions = {}) =>
  testDatabaseService(
    {
      ...{ outages, readConfig },
      // The fake accounts answers at once; the timeout is for slow machines.
      start: (config: Config) => startMessaging(config, { accountsTimeoutMs: 30_000, ...overrides }),
      ...{ databaseSetting: 'PARLEY_MESSAGING_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings,
    },
    async (harness) => {
      const { bus, pool } = harness
      const erasures = new ErasureReports()
      const fakes = newFakes()
      await harness.serveFakes(routesOf(fakes, erasures))
      await Promise.all(Array.from({ length: processes }, () => harness.start()))
      const { messaging } = harness.clients({ messaging: MessagingInternalService })
      const services = { messages: MessageService, rooms: RoomService, threads: ThreadService }
      return {
        ...{ fakes, erasures, messaging },
        environment: { ...harness.settings, ...settings },
        as: (userId: string, roleIds: string[] = []) => ({
          userId,
          ...harness.clients(services, { userId, roleIds }),
        }),
        room: () => new RoomFeed(messaging),
        /** Resolves when the room's events are on the stream. */
        untilRelayed: (roomId: string) =>
          eventually(async () => {
            const waiting = 'select from outbox where aggregate = $1 and relayed_at is null'
            return (await pool.query(waiting, [`room.${roomId}`])).rowCount === 0
          }),
        publishProfileChange: (userId: string) =>
          publishEvents(bus, {
            ...{ kind: 'user_profile_updated', aggregateType: 'user', aggregateId: userId, actorId: userId },
            fact: { case: 'userChanged', value: {} },
          }),
        /** An empty room id stands for the server. Resolves when the event is handled. */
        async publishLevel(userId: string, roomId: string, level: NotificationLevel, version: bigint): Promise<void> {
          const [event] = await publishEvents(bus, {
            kind: `user_${roomId ? 'room' : 'server'}_notification_level_set`,
            ...{ aggregateType: 'preference', aggregateId: userId, version, actorId: userId },
            fact: { case: 'notificationLevel', value: { roomId, level } },
          })
          const handled = `select from inbox where consumer = 'messaging-levels' and event_id = $1`
          await eventually(async () => (await pool.query(handled, [event?.id])).rowCount === 1)
        },
      }
    },
  )

/** Starts a fleet for the tests of a file. */
export const useFleet = (options?: FleetOptions) => openForTests(() => startFleet(options))

const newFakes = () => ({
  policy: standardPolicy(),
  profilesUnavailable: false,
  profileCalls: [] as string[][],
  names: new Map<string, string>(),
  handlesUnavailable: false,
  handleCalls: [] as string[][],
  roles: new Map<string, string[]>(),
  assets: new Map<string, { userId: string; roomId: string; eventId?: string }>(),
  /** Files whose claim has expired. */
  reclaimable: new Set<string>(),
  videos: new Set<string>(),
  videoOutcomes: new Map<string, VideoOutcome>(),
  previewLink: (_url: string): PreviewAnswer | Promise<PreviewAnswer> => ({}),
})

const routesOf = (fakes: ReturnType<typeof newFakes>, erasures: ErasureReports) => (routes: ServiceRoutes) => {
  routes.service(AdminInternalService, { getPolicy: () => fakes.policy })
  routes.service(AccountsInternalService, {
    reportErased: erasures.reportErased,
    // Logins equal user ids. Handles that begin with "no" are unknown.
    resolveHandles: ({ handles }) => {
      fakes.handleCalls.push(handles)
      if (fakes.handlesUnavailable) throw new Error('unavailable')
      const known = handles.filter((handle) => !handle.startsWith('no'))
      return {
        entries: known.map((handle) => ({
          handle,
          owner: { case: 'user', value: { userId: handle, roleIds: fakes.roles.get(handle) ?? [] } },
        })),
      }
    },
    getProfiles: ({ userIds }) => {
      fakes.profileCalls.push(userIds)
      if (fakes.profilesUnavailable) throw new Error('unavailable')
      return {
        profiles: userIds.map((id) => ({
          user: { id, login: id, displayName: fakes.names.get(id) ?? id.toUpperCase() },
        })),
      }
    },
  })
  routes.service(UploadsInternalService, {
    previewLink: ({ url }) => fakes.previewLink(url),
    getVideoOutcomes: ({ assetIds }) => ({
      outcomes: assetIds.flatMap((assetId) => fakes.videoOutcomes.get(assetId) ?? []),
    }),
    claimAssets: ({ assetIds, eventId, roomId, userId }) => {
      const assets = assetIds.map((id) => {
        const asset = fakes.assets.get(id)
        const claimedFor = fakes.reclaimable.has(id) ? undefined : asset?.eventId
        if (asset?.userId === userId && asset.roomId === roomId && (claimedFor ?? eventId) === eventId) return asset
        throw new ConnectError(`asset ${id} cannot be attached`, Code.InvalidArgument)
      })
      for (const asset of assets) asset.eventId = eventId
      return {
        assets: assetIds.map((assetId) => ({
          ...{ assetId, filename: `${assetId}.png`, contentType: 'image/png', size: 12n, width: 3, height: 4 },
          toBeProcessed: fakes.videos.has(assetId),
        })),
      }
    },
  })
}
