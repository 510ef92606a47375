import { fileURLToPath } from 'node:url'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Client } from '@connectrpc/connect'
import { MessageService, RoomService, ThreadService, type NotificationLevel } from '@parley/contracts/api'
import {
  AccountsInternalService,
  AdminInternalService,
  EventBatchSchema,
  EventSchema,
  MessagingInternalService,
  type PreviewLinkResponseSchema,
  UploadsInternalService,
} from '@parley/contracts/internal'
import { outgoing, type OutgoingEvent } from '@parley/events'
import { Resources, type Service } from '@parley/runtime'
import {
  callAs,
  ErasureReports,
  eventually,
  fakeLeaf,
  openTestDatabase,
  standardPolicy,
  testBus,
  testDatabase,
  type TestDatabaseOptions,
  testNats,
} from '@parley/testkit'
import type { VideoOutcome } from '../src/clients/video-outcomes.ts'
import { readConfig } from '../src/config.ts'
import { startMessaging, type Overrides } from '../src/service.ts'
import { RoomFeed } from './_room-feed.ts'

const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url))

export type Person = {
  userId: string
  messages: Client<typeof MessageService>
  rooms: Client<typeof RoomService>
  threads: Client<typeof ThreadService>
}

type PreviewAnswer = MessageInitShape<typeof PreviewLinkResponseSchema>

type FleetOptions = { processes?: number } & TestDatabaseOptions & Overrides

export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Messaging over a database and a NATS server of its own, with stand-ins for its neighbours. */
export async function startFleet({ processes = 1, outages = false, ...overrides }: FleetOptions = {}) {
  await using opened = new Resources()
  const nats = opened.use(await testNats())
  const database = opened.use(await testDatabase(drizzle, { outages }))
  const { bus, rpc } = opened.use(await testBus(nats.url))
  const erasures = new ErasureReports()
  const neighbours = {
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
    /** Files whose claims are not held against others. */
    forgetful: new Set<string>(),
    /** Files that are videos, which are processed when they are posted. */
    videos: new Set<string>(),
    /** How the processing of videos ended, as uploads answers. */
    videoOutcomes: new Map<string, VideoOutcome>(),
    /** What pages say of themselves. */
    previewLink: (_url: string): PreviewAnswer | Promise<PreviewAnswer> => ({}),
  }
  opened.use(
    await fakeLeaf(bus, (routes) => {
      routes.service(AdminInternalService, { getPolicy: () => neighbours.policy })
      routes.service(AccountsInternalService, {
        reportErased: erasures.reportErased,
        // Logins are ids here; those of nobody begin with "no".
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
    }),
  )
  const environment = {
    PARLEY_NATS_URL: nats.url,
    PARLEY_MESSAGING_DATABASE_URL: database.url,
    PARLEY_DATABASE_POOL: '6',
    PARLEY_DRAIN_TIMEOUT: '2s',
    PARLEY_WEBSERVER_URL: 'http://localhost:8080',
    PARLEY_CORE_ASSETS_SIGNING_SECRET: 'the secret of addresses of assets for tests',
  }
  const config = readConfig({ env: environment })
  const look = opened.use(await openTestDatabase(database.url, { pool: 2 }))
  const running: Service[] = []
  opened.defer(
    'processes',
    async () => void (await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))),
  )
  // Accounts answers here, or fails at once: a slow machine does not make it seem away.
  const patient = { accountsTimeoutMs: 30_000, ...overrides }
  const start = async () => void running.push(await startMessaging(config, patient))
  const startAll = () => Promise.all(Array.from({ length: processes }, start))
  /** New processes with nothing in memory. */
  const restart = async () => {
    await Promise.all(running.splice(0).map((service) => service[Symbol.asyncDispose]()))
    await startAll()
  }
  await startAll()

  const messaging = createClient(MessagingInternalService, rpc.transport())
  const as = (userId: string, roleIds: string[] = []): Person => {
    const transport = callAs(rpc, { userId, roleIds })
    return {
      userId,
      messages: createClient(MessageService, transport),
      rooms: createClient(RoomService, transport),
      threads: createClient(ThreadService, transport),
    }
  }
  /** Resolves when the stream has every event of the room. */
  const settled = async (roomId: string) => {
    await eventually(async () => {
      const { rows } = await look.pool.query('select from outbox where aggregate = $1 and relayed_at is null', [
        `room.${roomId}`,
      ])
      return rows.length === 0
    })
  }
  const publish = async (event: OutgoingEvent) => {
    const { payload, subject } = outgoing(event)
    const published = fromBinary(EventSchema, payload)
    const batch = create(EventBatchSchema, { events: [published] })
    await bus.nc.jetstream().publish(subject, toBinary(EventBatchSchema, batch))
    return published
  }
  /** What accounts says when a profile changed. */
  const userChanged = (userId: string) =>
    publish({
      ...{ kind: 'user_profile_updated', aggregateType: 'user', aggregateId: userId, version: 1n, actorId: userId },
      ...{ occurredAt: new Date(), fact: { case: 'userChanged', value: {} } },
    })
  /** What notifications says when a user chose a level, for a room or with an empty id for the server; handled then. */
  const levelChosen = async (userId: string, roomId: string, level: NotificationLevel, version: bigint) => {
    const { id } = await publish({
      kind: `user_${roomId ? 'room' : 'server'}_notification_level_set`,
      ...{ aggregateType: 'preference', aggregateId: userId, version, occurredAt: new Date(), actorId: userId },
      fact: { case: 'notificationLevel', value: { roomId, level } },
    })
    const handled = `select from inbox where consumer = 'messaging-levels' and event_id = $1`
    await eventually(async () => (await look.pool.query(handled, [id])).rowCount === 1)
  }
  const parts = {
    nats,
    look,
    database,
    bus,
    rpc,
    neighbours,
    erasures,
    environment,
    start,
    restart,
    settled,
    userChanged,
    levelChosen,
    messaging,
    as,
  }
  return Object.assign(opened.move(), parts, { room: () => new RoomFeed(messaging) })
}
