import { fileURLToPath } from 'node:url'
import { create, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { createClient, type Client } from '@connectrpc/connect'
import { VoiceCallService } from '@parley/contracts/api'
import {
  AccountsInternalService,
  EventBatchSchema,
  MessagingInternalService,
  RoomsInternalService,
  type EventSchema,
  type RoomFactSchema,
} from '@parley/contracts/internal'
import { declareStreams, eventSubject } from '@parley/events'
import { newId } from '@parley/ids'
import { type Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import { callAs, ErasureReports, fakeLeaf, openTestDatabase, testBus, testDatabase, testNats } from '@parley/testkit'
import { LivekitStandIn } from '@parley/testkit/livekit'
import { readConfig } from '../src/config.ts'
import { turns } from '../src/store/schema.ts'
import { startCalls, type Overrides } from '../src/service.ts'
import { FakeMessaging, FakeRooms, getProfiles } from './_neighbours.ts'

export type Env = AsyncDisposable & {
  db: Db
  bus: Bus
  livekit: LivekitStandIn
  rooms: FakeRooms
  messaging: FakeMessaging
  erasures: ErasureReports
  as: (userId: string) => Client<typeof VoiceCallService>
  /** Connects to the call of a room as somebody, with a token that was just made. */
  connect: (userId: string, roomId: string) => ReturnType<LivekitStandIn['connect']>
  /** Who is in the call of a room, as its members see it; undefined without a call. */
  inCall: (roomId: string, asker: string) => Promise<string[] | undefined>
  /** Announces a fact of a room, as messaging does. */
  announce: (
    kind: string,
    roomId: string,
    fact: NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>,
  ) => Promise<void>
  /** Announces the deletion of an account. */
  announceDeletion: (userId: string) => Promise<void>
  announceSessionsEnded: (userId: string, reason: string) => Promise<void>
  /** Starts a process; it lives as long as the environment. */
  start: (settings?: Record<string, string>, overrides?: Overrides) => Promise<Service>
}

const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url))

/**
 * Everything around calls: a database, a bus, neighbours and a media server of its own. Calls are compared with the media
 * server only where a test is about that: elsewhere what the comparison finds first, webhooks would not tell.
 */
export async function openEnv({ compares = false } = {}): Promise<Env> {
  await using opened = new Resources()
  const database = opened.use(await testDatabase(drizzle))
  const nats = opened.use(await testNats())
  const livekit = opened.use(await LivekitStandIn.start())
  const { db } = opened.use(await openTestDatabase(database.url, { pool: 2 }))
  const { bus, rpc } = opened.use(await testBus(nats.url))
  const inAnHour = new Date(Date.now() + 3_600_000)
  if (!compares) await db.insert(turns).values({ task: 'compare calls', nextAt: inAnHour, failures: 0 })
  const [rooms, messaging, erasures] = [new FakeRooms(), new FakeMessaging(), new ErasureReports()]
  opened.use(
    await fakeLeaf(bus, (routes) => {
      routes.service(AccountsInternalService, { getProfiles, reportErased: erasures.reportErased })
      routes.service(MessagingInternalService, { applyRoomEvents: messaging.applyRoomEvents })
      const { getRoomAccess, listAccessibleRooms, listRecipients } = rooms
      routes.service(RoomsInternalService, { getRoomAccess, listAccessibleRooms, listRecipients })
    }),
  )
  await declareStreams(bus)
  const processes = opened.use(new Resources())
  const env = {
    PARLEY_CALLS_DATABASE_URL: database.url,
    PARLEY_CALLS_HTTP_HOST: '127.0.0.1',
    PARLEY_CALLS_HTTP_PORT: '0',
    PARLEY_NATS_URL: nats.url,
    PARLEY_LIVEKIT_ENABLED: 'true',
    PARLEY_LIVEKIT_URL: livekit.url,
    PARLEY_LIVEKIT_API_KEY: livekit.apiKey,
    PARLEY_LIVEKIT_API_SECRET: livekit.apiSecret,
  }
  const as = (userId: string) => createClient(VoiceCallService, callAs(rpc, { userId }))
  const publish = async (about: Parameters<typeof eventSubject>[0], event: { actorId: string; fact: Fact }) => {
    const events = [{ ...about, id: newId('event'), version: 1n, ...event }]
    const batch = toBinary(EventBatchSchema, create(EventBatchSchema, { events }))
    await bus.nc.jetstream().publish(eventSubject(about), batch)
  }
  const closing = opened.move()
  return {
    ...{ db, bus, livekit, rooms, messaging, erasures, as },
    connect: async (userId, roomId) => livekit.connect((await as(userId).getCallToken({ roomId })).token),
    async inCall(roomId, asker) {
      const { calls } = await as(asker).batchGetActiveCalls({ roomIds: [roomId] })
      return calls[0]?.participants.map(({ user }) => user?.id ?? '').sort()
    },
    announce: (kind, roomId, fact) =>
      publish(
        { aggregateType: 'room', aggregateId: roomId, kind },
        { actorId: 'Uolivia', fact: { case: 'roomFact', value: { roomSeq: 9n, fact: { version: 9n, fact } } } },
      ),
    announceDeletion: (userId) =>
      publish(
        { aggregateType: 'user', aggregateId: userId, kind: 'account_deleted' },
        { actorId: userId, fact: { case: undefined } },
      ),
    announceSessionsEnded: (userId, reason) =>
      publish(
        { aggregateType: 'user', aggregateId: userId, kind: 'credentials_ended' },
        { actorId: userId, fact: { case: 'credentialsEnded', value: { credentialIds: [], all: true, reason } } },
      ),
    start: async (settings = {}, overrides = {}) =>
      processes.use(await startCalls(readConfig({ env: { ...env, ...settings } }), overrides)),
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  }
}

type Fact = NonNullable<MessageInitShape<typeof EventSchema>['fact']>
