import { Code, ConnectError } from '@connectrpc/connect'
import { AdminRoomLayoutService } from '@parley/contracts/admin'
import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
  RoomsTransferService,
} from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import type { ServiceRoutes } from '@parley/rpc'
import {
  ErasureReports,
  eventually,
  standardPolicy,
  testDatabaseService,
  type TestDatabaseOptions,
} from '@parley/testkit'
import { sql } from 'drizzle-orm'
import { readConfig, type Config } from '../src/config.ts'
import { startRooms, type Overrides } from '../src/service.ts'
import { FakeMessaging } from './_messaging.ts'

export { codeOf } from '@parley/testkit'

export type FakePerson = {
  userId: string
  login: string
  displayName: string
  roleIds: string[]
  version: bigint
  deleted?: boolean
}

export type Env = Awaited<ReturnType<typeof openEnv>>

const failUnavailable = (): never => {
  throw new ConnectError('unavailable', Code.Unavailable)
}

const initialState = () => ({
  messaging: new FakeMessaging(),
  erasures: new ErasureReports(),
  admin: {
    policy: standardPolicy(),
    postingDenied: [] as string[],
    entryDenied: [] as string[],
    /** Whether the last room of `entryDenied` existed already when entry was denied. */
    existedWhenDenied: false,
    unavailable: false,
  },
  accounts: {
    people: [] as FakePerson[],
    unavailable: false,
    failedGetPeople: 0,
    onGetPeople: (): Promise<void> => Promise.resolve(),
  },
})

/** Opens an environment with a database and NATS server of its own; `start` starts processes of rooms. */
export const openEnv = (options: TestDatabaseOptions = {}) =>
  testDatabaseService(
    {
      ...{ ...options, readConfig },
      start: (config: Config, overrides: Overrides = { checkPausePerStepMs: 0 }) => startRooms(config, overrides),
      ...{ databaseSetting: 'PARLEY_ROOMS_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings: { PARLEY_DATABASE_POOL: '5' },
    },
    async (harness) => {
      const state = initialState()
      await harness.serveFakes(routesOf(state, harness.db))
      harness.beforeDispose('held calls', () => state.messaging.answer())
      const services = { rooms: RoomService, directory: RoomDirectoryService, layout: AdminRoomLayoutService }
      return {
        ...state,
        as: (userId: string, ...roleIds: string[]) => harness.clients(services, { userId, roleIds }),
        ...harness.clients({ internal: RoomsInternalService, transfer: RoomsTransferService }),
      }
    },
  )

const routesOf =
  ({ messaging, erasures, admin, accounts }: ReturnType<typeof initialState>, db: Db) =>
  (router: ServiceRoutes) => {
    router.service(MessagingInternalService, messaging.impl)
    router.service(AdminInternalService, {
      getPolicy: () => admin.policy,
      denyPosting: ({ roomId }) => {
        if (admin.unavailable) failUnavailable()
        admin.postingDenied.push(roomId)
        return { revision: 2n }
      },
      denyEntry: async ({ roomId }) => {
        if (admin.unavailable) failUnavailable()
        admin.entryDenied.push(roomId)
        const found = await db.execute(sql`select from rooms where id = ${roomId}`)
        admin.existedWhenDenied = found.rowCount !== 0
        return { revision: 2n }
      },
    })
    router.service(AccountsInternalService, {
      getProfiles: ({ userIds }) => {
        if (accounts.unavailable) failUnavailable()
        const known = accounts.people.filter(({ userId }) => userIds.includes(userId))
        const profiles = known.map(({ userId: id, login, displayName, deleted = false, roleIds }) => {
          return { user: { id, login, displayName, deleted }, roleIds }
        })
        return { profiles }
      },
      reportErased: erasures.reportErased,
      getPeople: async ({ userIds }) => {
        await accounts.onGetPeople()
        if (accounts.unavailable) {
          accounts.failedGetPeople++
          failUnavailable()
        }
        return { people: accounts.people.filter(({ userId }) => userIds.includes(userId)) }
      },
      listPeople: ({ after, limit }) => {
        if (accounts.unavailable) failUnavailable()
        const sorted = [...accounts.people].sort((a, b) => (a.userId < b.userId ? -1 : 1))
        return { people: sorted.filter(({ userId }) => userId > after).slice(0, limit) }
      },
    })
  }

export async function lobbyOf(env: Env): Promise<string> {
  return await eventually(async () => {
    const { groups } = await env.as('Uowner', 'owner').directory.listRoomGroups({})
    const [lobby] = groups
    if ((lobby?.items.length ?? 0) < 2) throw new Error('the first rooms do not exist yet')
    return lobby?.id ?? ''
  })
}

export async function makeRoom(env: Env, name: string, options: { universal?: boolean } = {}): Promise<string> {
  const groupId = await lobbyOf(env)
  const { room } = await env.as('Uadmin', 'admin').rooms.createRoom({ name, groupId, ...options })
  return room?.id ?? ''
}

/** The login is the id without the first letter. */
export function person(userId: string, options: Partial<FakePerson> = {}): FakePerson {
  const login = userId.slice(1)
  return { userId, login, displayName: login, roleIds: [], version: 1n, ...options }
}
