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
  PARLEY_CORE_ASSETS_SIGNING_SECRET: 'the secret of addresses of assets for tests',
}

/** Messaging with a separate database and NATS server, and stand-ins for other services. */
export const startFleet = ({ processes = 1, outages = false, ...overrides }: FleetOptions = {}) =>
  testDatabaseService(
    {
      ...{ outages, readConfig },
      // Accounts answers or fails immediately here, so a long timeout only prevents failures on a slow machine.
      start: (config: Config) => startMessaging(config, { accountsTimeoutMs: 30_000, ...overrides }),
      ...{ databaseSetting: 'PARLEY_MESSAGING_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings,
    },
    async (harness) => {
      const { bus, db, pool } = harness
      const erasures = new ErasureReports()
      const neighbours = answers()
      await harness.serveFakes(routesOf(neighbours, erasures))
      await Promise.all(Array.from({ length: processes }, () => harness.start()))
      const { messaging } = harness.clients({ messaging: MessagingInternalService })
      const services = { messages: MessageService, rooms: RoomService, threads: ThreadService }
      return {
        ...{ neighbours, erasures, messaging },
        look: { db, pool },
        environment: { ...harness.settings, ...settings },
        as: (userId: string, roleIds: string[] = []) => ({
          userId,
          ...harness.clients(services, { userId, roleIds }),
        }),
        room: () => new RoomFeed(messaging),
        /** Resolves when the stream has every event of the room. */
        settled: (roomId: string) =>
          eventually(async () => {
            const waiting = 'select from outbox where aggregate = $1 and relayed_at is null'
            return (await pool.query(waiting, [`room.${roomId}`])).rowCount === 0
          }),
        /** Publishes accounts' event about a changed profile. */
        userChanged: (userId: string) =>
          publishEvents(bus, {
            ...{ kind: 'user_profile_updated', aggregateType: 'user', aggregateId: userId, actorId: userId },
            fact: { case: 'userChanged', value: {} },
          }),
        /**
         * Publishes notifications' event about a level, for a room or with an empty id for the server, and waits until
         * it is handled.
         */
        async levelChosen(userId: string, roomId: string, level: NotificationLevel, version: bigint): Promise<void> {
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

/** Responses of the stand-ins; a test can change them at any time. */
const answers = () => ({
  policy: standardPolicy(),
  profilesAway: false,
  profileCalls: [] as string[][],
  names: new Map<string, string>(),
  handlesAway: false,
  handleCalls: [] as string[][],
  /** Roles that users hold. */
  roles: new Map<string, string[]>(),
  /** Files by id, with the event that claimed them. */
  assets: new Map<string, { userId: string; roomId: string; eventId?: string }>(),
  /** Files that other messages may claim as well. */
  forgetful: new Set<string>(),
  /** Files that are videos, which are processed when they are posted. */
  videos: new Set<string>(),
  /** Outcomes of videos, as uploads returns them. */
  videoOutcomes: new Map<string, VideoOutcome>(),
  /** Previews of pages. */
  previewLink: (_url: string): PreviewAnswer | Promise<PreviewAnswer> => ({}),
})

const routesOf = (neighbours: ReturnType<typeof answers>, erasures: ErasureReports) => (routes: ServiceRoutes) => {
  routes.service(AdminInternalService, { getPolicy: () => neighbours.policy })
  routes.service(AccountsInternalService, {
    reportErased: erasures.reportErased,
    // Logins equal ids here. Logins that begin with "no" are unknown.
    resolveHandles: ({ handles }) => {
      neighbours.handleCalls.push(handles)
      if (neighbours.handlesAway) throw new Error('away')
      const known = handles.filter((handle) => !handle.startsWith('no'))
      return {
        entries: known.map((handle) => ({
          handle,
          owner: { case: 'user', value: { userId: handle, roleIds: neighbours.roles.get(handle) ?? [] } },
        })),
      }
    },
    getProfiles: ({ userIds }) => {
      neighbours.profileCalls.push(userIds)
      if (neighbours.profilesAway) throw new Error('away')
      return {
        profiles: userIds.map((id) => ({
          user: { id, login: id, displayName: neighbours.names.get(id) ?? id.toUpperCase() },
        })),
      }
    },
  })
  routes.service(UploadsInternalService, {
    previewLink: ({ url }) => neighbours.previewLink(url),
    getVideoOutcomes: ({ assetIds }) => ({
      outcomes: assetIds.flatMap((assetId) => neighbours.videoOutcomes.get(assetId) ?? []),
    }),
    claimAssets: ({ assetIds, eventId, roomId, userId }) => {
      const assets = assetIds.map((id) => {
        const asset = neighbours.assets.get(id)
        const held = neighbours.forgetful.has(id) ? undefined : asset?.eventId
        if (asset?.userId === userId && asset.roomId === roomId && (held ?? eventId) === eventId) return asset
        throw new ConnectError(`asset ${id} cannot be attached`, Code.InvalidArgument)
      })
      for (const asset of assets) asset.eventId = eventId
      return {
        assets: assetIds.map((assetId) => ({
          ...{ assetId, filename: `${assetId}.png`, contentType: 'image/png', size: 12n, width: 3, height: 4 },
          toBeProcessed: neighbours.videos.has(assetId),
        })),
      }
    },
  })
}
