import { fileURLToPath } from 'node:url'
import type { DescService } from '@bufbuild/protobuf'
import { Code, ConnectError, createClient, type Client } from '@connectrpc/connect'
import { credentialDigest } from '@parley/credentials'
import { ViewerService } from '@parley/contracts/api'
import {
  AccountsInternalService,
  AccountsTransferService,
  AdminInternalService,
  MessagingInternalService,
  NotificationsInternalService,
  OperatorService,
  RoomsInternalService,
  SignInInternalService,
  UploadsInternalService,
  type GetPolicyResponse,
  type ImportServerImageRequest,
  type StoreServerImageRequest,
} from '@parley/contracts/internal'
import { type Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import {
  callAs,
  fakeLeaf,
  openTestDatabase,
  type Outage,
  standardPolicy,
  testBus,
  type TestCaller,
  testDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
  testNats,
  type TestNats,
  testRedis,
} from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startAccounts, type Overrides } from '../src/service.ts'

export const secretKey = 'a secret key that is long enough for tests'
export const password = 'correct horse battery'

/** What the stand-ins of the neighbours answer; a test can change it at any time. */
type Neighbours = {
  away: Set<'messaging' | 'notifications' | 'rooms'>
  blocked: string[]
  serverName: string
  policy: GetPolicyResponse
  /** Whose audiences rooms was asked for; it answers Ubert for each. */
  audiencesAsked: string[]
  /** Images that uploads was asked to make; the key is that of the blob. */
  images: StoreServerImageRequest[]
  /** Images elsewhere that it was asked to fetch; those of the host "broken" cannot be. */
  imports: ImportServerImageRequest[]
  /** What happens while it fetches one. */
  meanwhile: (image: ImportServerImageRequest) => Promise<unknown>
}

export type Env = AsyncDisposable & {
  database: TestDatabase
  nats: TestNats
  redis: Outage
  bus: Bus
  /** What accounts has stored. */
  db: Db
  neighbours: Neighbours
  /** The key of the process that was started last. */
  secretKey: string
  internal: Client<typeof AccountsInternalService>
  operator: Client<typeof OperatorService>
  transfer: Client<typeof AccountsTransferService>
  signIn: Client<typeof SignInInternalService>
  /** Calls as somebody; the credential matters to methods that ask for a fresh one. */
  as: <S extends DescService>(service: S, who: TestCaller) => Client<S>
  viewerOf: (userId: string, ...roleIds: string[]) => Client<typeof ViewerService>
  /** Starts a process that lives as long as the environment, or until it is disposed. */
  start: (settings?: Record<string, string>, overrides?: Overrides) => Promise<Service>
}

const drizzle = fileURLToPath(new URL('../drizzle', import.meta.url))

/** Everything around accounts over a real database and bus. */
export async function openEnv(options?: TestDatabaseOptions): Promise<Env> {
  await using opened = new Resources()
  const database = opened.use(await testDatabase(drizzle, options))
  const nats = opened.use(await testNats())
  const redis = opened.use(await testRedis())
  const { db } = opened.use(await openTestDatabase(database.url, { pool: 4 }))
  const { bus, rpc } = opened.use(await testBus(nats.url))
  const neighbours: Neighbours = {
    away: new Set(),
    blocked: ['root'],
    serverName: 'Our <Chat>',
    policy: standardPolicy(),
    audiencesAsked: [],
    images: [],
    imports: [],
    meanwhile: async () => undefined,
  }
  const beThere = (service: 'messaging' | 'notifications' | 'rooms') => {
    if (neighbours.away.has(service)) throw new ConnectError('away', Code.Unavailable)
  }
  opened.use(
    await fakeLeaf(bus, (routes) => {
      routes.service(AdminInternalService, {
        getServerName: () => ({ name: neighbours.serverName }),
        getPolicy: () => neighbours.policy,
        checkLogin: ({ login }) => ({ blocked: neighbours.blocked.includes(login.toLowerCase()) }),
        checkLogins: ({ logins }) => ({
          blocked: logins.filter((login) => neighbours.blocked.includes(login.toLowerCase())),
        }),
      })
      routes.service(MessagingInternalService, {
        hasUnread: () => {
          beThere('messaging')
          return { rooms: true, followedThreads: true }
        },
      })
      routes.service(NotificationsInternalService, {
        getPreferences: () => {
          beThere('notifications')
          return { rooms: [{ roomId: 'R1' }] }
        },
      })
      routes.service(RoomsInternalService, {
        listPresenceAudiences: ({ userIds }) => {
          beThere('rooms')
          neighbours.audiencesAsked.push(...userIds)
          return { audiences: userIds.map((userId) => ({ userId, others: ['Ubert'] })) }
        },
      })
      routes.service(UploadsInternalService, {
        storeServerImage: (image) => {
          neighbours.images.push(image)
          return { key: `key-of-${image.blobId}` }
        },
        importServerImage: async (image) => {
          neighbours.imports.push(image)
          await neighbours.meanwhile(image)
          if (new URL(image.url).host === 'broken') throw new ConnectError('cannot be fetched', Code.Unavailable)
          return { key: `key-of-${image.url}` }
        },
      })
    }),
  )
  const processes = opened.use(new Resources())
  const closing = opened.move()
  const env: Env = {
    database,
    nats,
    redis,
    bus,
    db,
    neighbours,
    secretKey,
    internal: createClient(AccountsInternalService, rpc.transport()),
    operator: createClient(OperatorService, rpc.transport()),
    transfer: createClient(AccountsTransferService, rpc.transport()),
    signIn: createClient(SignInInternalService, rpc.transport()),
    as: (service, who) => createClient(service, callAs(rpc, who)),
    viewerOf: (userId, ...roleIds) => createClient(ViewerService, callAs(rpc, { userId, roleIds })),
    async start(settings = {}, overrides = {}) {
      const usual = {
        PARLEY_ACCOUNTS_DATABASE_URL: database.url,
        PARLEY_NATS_URL: nats.url,
        PARLEY_REDIS_URL: redis.url,
        PARLEY_CORE_SECRET_KEY: secretKey,
        PARLEY_CORE_ASSETS_SIGNING_SECRET: secretKey,
        PARLEY_WEBSERVER_URL: 'https://chat.example.org',
        PARLEY_DATABASE_POOL: '6',
      }
      const service = await startAccounts(readConfig({ env: { ...usual, ...settings } }), overrides)
      env.secretKey = settings['PARLEY_CORE_SECRET_KEY'] ?? secretKey
      let ended: Promise<void> | undefined
      const once = { ...service, [Symbol.asyncDispose]: () => (ended ??= end(service)) }
      return processes.use(once)
    },
    [Symbol.asyncDispose]: async () => closing[Symbol.asyncDispose](),
  }
  return env
}

async function end(service: Service): Promise<void> {
  await service[Symbol.asyncDispose]()
}

/** Makes an account whose password is `password`, and answers its id. */
export async function makeUser(env: Env, login: string, more: { email?: string; roleNames?: string[] } = {}) {
  return (await env.operator.createUser({ login, password, ...more })).userId
}

/** Signs in, and answers the digests of both credentials. */
export async function signIn(env: Env, identifier: string, secret = password) {
  const session = await env.internal.passwordLogin({ identifier, password: secret })
  const bearer = credentialDigest(env.secretKey, session.token)
  const cookie = credentialDigest(env.secretKey, session.cookieHandle)
  return { session, bearer, cookie, digests: [bearer, cookie] }
}

/** The callers behind digests, by digest in hex. */
export async function callersOf(env: Env, digests: Uint8Array[]) {
  const { entries } = await env.internal.authenticate({ digests })
  return new Map(entries.map(({ digest, caller }) => [Buffer.from(digest).toString('hex'), caller]))
}

/** Signs in, and answers who the gateway would say calls with the bearer token. */
export async function callerOf(env: Env, identifier: string): Promise<TestCaller> {
  const { session, bearer } = await signIn(env, identifier)
  const caller = (await callersOf(env, [bearer])).get(bearer.toString('hex'))
  return { userId: session.userId, roleIds: caller?.roleIds ?? [], credentialId: caller?.credentialId ?? '' }
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

/** Keeps the stream from acknowledging what is published, until the result is disposed. */
export async function silentStream(bus: Bus): Promise<AsyncDisposable> {
  const { streams } = await bus.nc.jetstreamManager()
  const { config } = await streams.info('EVENTS')
  await streams.update('EVENTS', { ...config, no_ack: true })
  return {
    async [Symbol.asyncDispose]() {
      await streams.update('EVENTS', { ...config, no_ack: false })
    },
  }
}

/** What the stream holds last on a subject. */
export async function lastOnStream(bus: Bus, subject: string): Promise<Uint8Array> {
  const { streams } = await bus.nc.jetstreamManager()
  return (await streams.getMessage('EVENTS', { last_by_subj: subject })).data
}
