import { fileURLToPath } from 'node:url'
import { Code, ConnectError, createClient, type Client } from '@connectrpc/connect'
import { AdminRoomLayoutService } from '@parley/contracts/admin'
import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
  RoomsTransferService,
  type GetPolicyResponse,
} from '@parley/contracts/internal'
import { type Db } from '@parley/postgres'
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
import { sql } from 'drizzle-orm'
import { readConfig } from '../src/config.ts'
import { startRooms, type Overrides } from '../src/service.ts'
import { FakeMessaging } from './_messaging.ts'

export type FakePerson = {
  userId: string
  login: string
  displayName: string
  roleIds: string[]
  version: bigint
  deleted?: boolean
}
export type Clients = {
  rooms: Client<typeof RoomService>
  directory: Client<typeof RoomDirectoryService>
  layout: Client<typeof AdminRoomLayoutService>
}
type TestBus = Awaited<ReturnType<typeof testBus>>

/** Everything around rooms: its neighbours are stand-ins over the real bus, which a test can change at any time. */
export type Env = {
  [Symbol.asyncDispose](): Promise<void>
  nats: Awaited<ReturnType<typeof testNats>>
  database: Awaited<ReturnType<typeof testDatabase>>
  bus: TestBus['bus']
  /** What rooms has stored. */
  db: Db
  messaging: FakeMessaging
  /** What rooms told accounts of deleted people. */
  erasures: ErasureReports
  admin: {
    policy: GetPolicyResponse
    denied: string[]
    /** Rooms that nobody may find or join, and whether the last one existed when it was said. */
    entriesDenied: string[]
    existedWhenDenied: boolean
    silent: boolean
  }
  accounts: { people: FakePerson[]; silent: boolean; /** Questions not answered. */ refused: number }
  /** Starts a process of rooms that lives as long as the environment, or until it is disposed. */
  start(settings?: Record<string, string>, overrides?: Overrides): Promise<Service>
  as(userId: string, ...roleIds: string[]): Clients
  internal: Client<typeof RoomsInternalService>
  transfer: Client<typeof RoomsTransferService>
}

const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url))
const away = (): never => {
  throw new ConnectError('away', Code.Unavailable)
}

export async function openEnv(options?: TestDatabaseOptions): Promise<Env> {
  await using opened = new Resources()
  const database = opened.use(await testDatabase(drizzle, options))
  const nats = opened.use(await testNats())
  const { db } = opened.use(await openTestDatabase(database.url, { pool: 4 }))
  const { bus, rpc } = opened.use(await testBus(nats.url))

  const messaging = new FakeMessaging()
  const erasures = new ErasureReports()
  const admin: Env['admin'] = {
    ...{ policy: standardPolicy(), denied: [], silent: false },
    ...{ entriesDenied: [], existedWhenDenied: false },
  }
  const accounts: Env['accounts'] = { people: [], silent: false, refused: 0 }
  opened.use(
    await fakeLeaf(bus, (router) => {
      router.service(MessagingInternalService, messaging.impl)
      router.service(AdminInternalService, {
        getPolicy: () => admin.policy,
        denyPosting: ({ roomId }) => {
          if (admin.silent) away()
          admin.denied.push(roomId)
          return { revision: 2n }
        },
        denyEntry: async ({ roomId }) => {
          if (admin.silent) away()
          admin.entriesDenied.push(roomId)
          const found = await db.execute(sql`select from rooms where id = ${roomId}`)
          admin.existedWhenDenied = found.rowCount !== 0
          return { revision: 2n }
        },
      })
      router.service(AccountsInternalService, {
        getProfiles: ({ userIds }) => {
          if (accounts.silent) away()
          const known = accounts.people.filter(({ userId }) => userIds.includes(userId))
          const profiles = known.map(({ userId: id, login, displayName, deleted = false, roleIds }) => {
            return { user: { id, login, displayName, deleted }, roleIds }
          })
          return { profiles }
        },
        reportErased: erasures.reportErased,
        getPeople: ({ userIds }) => {
          if (accounts.silent) {
            accounts.refused++
            away()
          }
          return { people: accounts.people.filter(({ userId }) => userIds.includes(userId)) }
        },
        listPeople: ({ after, limit }) => {
          if (accounts.silent) away()
          const sorted = [...accounts.people].sort((a, b) => (a.userId < b.userId ? -1 : 1))
          return { people: sorted.filter(({ userId }) => userId > after).slice(0, limit) }
        },
      })
    }),
  )
  opened.defer('silence', () => messaging.speak())

  const processes = opened.use(new Resources())
  async function start(
    settings: Record<string, string> = {},
    overrides: Overrides = { checkRestMs: 0 },
  ): Promise<Service> {
    const env = { PARLEY_NATS_URL: nats.url, PARLEY_ROOMS_DATABASE_URL: database.url, PARLEY_DATABASE_POOL: '5' }
    const service = await startRooms(readConfig({ env: { ...env, ...settings } }), overrides)
    let ended: Promise<void> | undefined
    const once = {
      ...service,
      [Symbol.asyncDispose]: () => (ended ??= Promise.resolve(service[Symbol.asyncDispose]())),
    }
    return processes.use(once)
  }

  const closing = opened.move()
  return {
    nats,
    database,
    bus,
    db,
    messaging,
    erasures,
    admin,
    accounts,
    start,
    as: (userId, ...roleIds) => {
      const transport = callAs(rpc, { userId, roleIds })
      return {
        rooms: createClient(RoomService, transport),
        directory: createClient(RoomDirectoryService, transport),
        layout: createClient(AdminRoomLayoutService, transport),
      }
    },
    internal: createClient(RoomsInternalService, rpc.transport()),
    transfer: createClient(RoomsTransferService, rpc.transport()),
    [Symbol.asyncDispose]: async () => closing[Symbol.asyncDispose](),
  }
}

/** The id of the first group, once the first rooms are there. */
export async function lobbyOf(env: Env): Promise<string> {
  return await eventually(async () => {
    const { groups } = await env.as('Uowner', 'owner').directory.listRoomGroups({})
    const [lobby] = groups
    if ((lobby?.items.length ?? 0) < 2) throw new Error('the first rooms are not there yet')
    return lobby?.id ?? ''
  })
}

/** A room made by `Uadmin`, whose id is returned. */
export async function makeRoom(env: Env, name: string, options: { universal?: boolean } = {}): Promise<string> {
  const groupId = await lobbyOf(env)
  const { room } = await env.as('Uadmin', 'admin').rooms.createRoom({ name, groupId, ...options })
  return room?.id ?? ''
}

/** The code a call fails with; undefined when it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call
    return undefined
  } catch (error) {
    return ConnectError.from(error).code
  }
}

/** An account that accounts knows; its display name is the login. */
export function person(userId: string, options: Partial<FakePerson> = {}): FakePerson {
  const login = userId.slice(1)
  return { userId, login, displayName: login, roleIds: [], version: 1n, ...options }
}
