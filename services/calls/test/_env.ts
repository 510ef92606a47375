import type { MessageInitShape } from '@bufbuild/protobuf'
import { VoiceCallService } from '@parley/contracts/api'
import {
  AccountsInternalService,
  MessagingInternalService,
  RoomsInternalService,
  type RoomFactSchema,
} from '@parley/contracts/internal'
import { ErasureReports, publishEvents, testDatabaseService } from '@parley/testkit'
import { FakeLivekit } from '@parley/testkit/livekit'
import { openForTests } from '@parley/testkit/open-for-tests'
import { readConfig } from '../src/config.ts'
import { turns } from '../src/store/schema.ts'
import { startCalls } from '../src/service.ts'
import { FakeAccounts, FakeMessaging, FakeRooms } from './_fake-services.ts'

type RoomFact = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>

/**
 * Without `compares`, calls are not compared with the media server: the comparison could notice a change before its
 * webhook arrives.
 */
export const openEnv = ({ compares = false } = {}) =>
  testDatabaseService(
    {
      ...{ start: startCalls, readConfig },
      ...{ databaseSetting: 'PARLEY_CALLS_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings: {
        PARLEY_CALLS_HTTP_HOST: '127.0.0.1',
        PARLEY_CALLS_HTTP_PORT: '0',
        PARLEY_LIVEKIT_ENABLED: 'true',
      },
    },
    async (harness) => {
      const { bus, db } = harness
      const livekit = harness.use(await FakeLivekit.start())
      Object.assign(harness.settings, {
        PARLEY_LIVEKIT_URL: livekit.url,
        PARLEY_LIVEKIT_API_KEY: livekit.apiKey,
        PARLEY_LIVEKIT_API_SECRET: livekit.apiSecret,
      })
      const inAnHour = new Date(Date.now() + 3_600_000)
      if (!compares) await db.insert(turns).values({ task: 'compare calls', nextAt: inAnHour, failures: 0 })
      const [accounts, rooms, messaging] = [new FakeAccounts(), new FakeRooms(), new FakeMessaging()]
      const erasures = new ErasureReports()
      await harness.serveFakes((routes) => {
        routes.service(AccountsInternalService, {
          getProfiles: accounts.getProfiles,
          reportErased: erasures.reportErased,
        })
        routes.service(MessagingInternalService, { applyRoomEvents: messaging.applyRoomEvents })
        const { getRoomAccess, listAccessibleRooms, listRecipients } = rooms
        routes.service(RoomsInternalService, { getRoomAccess, listAccessibleRooms, listRecipients })
      })
      const as = (userId: string) => harness.client(VoiceCallService, { userId })
      const ofUser = (userId: string) => ({ aggregateType: 'user', aggregateId: userId, actorId: userId }) as const
      return {
        ...{ livekit, accounts, rooms, messaging, erasures, as },
        connect: async (userId: string, roomId: string) =>
          livekit.connect((await as(userId).getCallToken({ roomId })).token),
        async inCall(roomId: string, memberId: string): Promise<string[] | undefined> {
          const { calls } = await as(memberId).batchGetActiveCalls({ roomIds: [roomId] })
          return calls[0]?.participants.map(({ user }) => user?.id ?? '').sort()
        },
        announce: (kind: string, roomId: string, fact: RoomFact) =>
          publishEvents(bus, {
            ...{ aggregateType: 'room', aggregateId: roomId, kind, actorId: 'Uolivia' },
            fact: { case: 'roomFact', value: { roomSeq: 9n, fact: { version: 9n, fact } } },
          }),
        announceDeletion: (userId: string) => publishEvents(bus, { ...ofUser(userId), kind: 'account_deleted' }),
        announceSessionsEnded: (userId: string, reason: string) =>
          publishEvents(bus, {
            ...{ ...ofUser(userId), kind: 'credentials_ended' },
            fact: { case: 'credentialsEnded', value: { credentialIds: [], all: true, reason } },
          }),
      }
    },
  )

/** Opens an environment for the tests of a file. */
export const useEnv = (options?: Parameters<typeof openEnv>[0]) => openForTests(() => openEnv(options))
