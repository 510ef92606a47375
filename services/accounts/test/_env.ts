import { Code, ConnectError } from '@connectrpc/connect'
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
  type ImportServerImageRequest,
  type StoreServerImageRequest,
} from '@parley/contracts/internal'
import type { Bus, ServiceRoutes } from '@parley/rpc'
import {
  standardPolicy,
  testDatabaseService,
  testRedis,
  type TestCaller,
  type TestDatabaseOptions,
} from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startAccounts, type Overrides } from '../src/service.ts'

export { codeOf } from '@parley/testkit'

export const secretKey = 'a secret key that is long enough for tests'
export const password = 'correct horse battery'

export type Env = Awaited<ReturnType<typeof openEnv>>

/** Responses of the stand-ins; a test can change them at any time. */
const answers = () => ({
  away: new Set<'messaging' | 'notifications' | 'rooms'>(),
  blocked: ['root'],
  serverName: 'Our <Chat>',
  policy: standardPolicy(),
  /** People whose audiences were requested from rooms, which returns Ubert for each. */
  audienceRequests: [] as string[],
  /** Images that uploads was requested to create; the key is that of the blob. */
  images: [] as StoreServerImageRequest[],
  /** External images that uploads was requested to fetch; those of the host "broken" fail. */
  imports: [] as ImportServerImageRequest[],
  /** Called during such a fetch. */
  meanwhile: (_image: ImportServerImageRequest): Promise<unknown> => Promise.resolve(),
})
type Neighbours = ReturnType<typeof answers>

/** Everything around accounts over a real database and bus. */
export const openEnv = (options: TestDatabaseOptions = {}) =>
  testDatabaseService(
    {
      ...{ ...options, start: startAccounts, readConfig },
      ...{ databaseSetting: 'PARLEY_ACCOUNTS_DATABASE_URL', migrations: new URL('../drizzle', import.meta.url) },
      settings: {
        PARLEY_CORE_SECRET_KEY: secretKey,
        PARLEY_CORE_ASSETS_SIGNING_SECRET: secretKey,
        PARLEY_WEBSERVER_URL: 'https://chat.example.org',
        PARLEY_DATABASE_POOL: '6',
      },
    },
    async (harness) => {
      const redis = harness.use(await testRedis())
      harness.settings['PARLEY_REDIS_URL'] = redis.url
      const neighbours = answers()
      await harness.serveFakes(routesOf(neighbours))
      const { start } = harness
      return {
        ...{ redis, neighbours },
        /** The key of the process that was started last. */
        secretKey,
        ...harness.clients({
          internal: AccountsInternalService,
          operator: OperatorService,
          transfer: AccountsTransferService,
          signIn: SignInInternalService,
        }),
        /** Calls as a user; the credential matters for methods that require a fresh one. */
        as: harness.client,
        viewerOf: (userId: string, ...roleIds: string[]) => harness.client(ViewerService, { userId, roleIds }),
        start: (settings: Record<string, string> = {}, overrides: Overrides = {}) => {
          Object.assign(harness, { secretKey: settings['PARLEY_CORE_SECRET_KEY'] ?? secretKey })
          return start(settings, overrides)
        },
      }
    },
  )

const routesOf = (neighbours: Neighbours) => (routes: ServiceRoutes) => {
  const beThere = (service: 'messaging' | 'notifications' | 'rooms') => {
    if (neighbours.away.has(service)) throw new ConnectError('away', Code.Unavailable)
  }
  const isBlocked = (login: string) => neighbours.blocked.includes(login.toLowerCase())
  routes.service(AdminInternalService, {
    getServerName: () => ({ name: neighbours.serverName }),
    getPolicy: () => neighbours.policy,
    checkLogin: ({ login }) => ({ blocked: isBlocked(login) }),
    checkLogins: ({ logins }) => ({ blocked: logins.filter(isBlocked) }),
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
      neighbours.audienceRequests.push(...userIds)
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
}

/** Creates an account whose password is `password`; returns its id. */
export async function makeUser(env: Env, login: string, more: { email?: string; roleNames?: string[] } = {}) {
  return (await env.operator.createUser({ login, password, ...more })).userId
}

/** Signs in, and returns the digests of both credentials. */
export async function signIn(env: Env, identifier: string, secret = password) {
  const session = await env.internal.passwordLogin({ identifier, password: secret })
  const bearer = credentialDigest(env.secretKey, session.token)
  const cookie = credentialDigest(env.secretKey, session.cookieHandle)
  return { session, bearer, cookie, digests: [bearer, cookie] }
}

/** The callers with these digests, keyed by the digest in hex. */
export async function callersOf(env: Env, digests: Uint8Array[]) {
  const { entries } = await env.internal.authenticate({ digests })
  return new Map(entries.map(({ digest, caller }) => [Buffer.from(digest).toString('hex'), caller]))
}

/** Signs in; returns the caller that the gateway would derive from the bearer token. */
export async function callerOf(env: Env, identifier: string): Promise<TestCaller> {
  const { session, bearer } = await signIn(env, identifier)
  const caller = (await callersOf(env, [bearer])).get(bearer.toString('hex'))
  return { userId: session.userId, roleIds: caller?.roleIds ?? [], credentialId: caller?.credentialId ?? '' }
}

/** Prevents the stream from acknowledging publications until the result is disposed. */
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

/** The last message of a subject on the stream. */
export async function lastOnStream(bus: Bus, subject: string): Promise<Uint8Array> {
  const { streams } = await bus.nc.jetstreamManager()
  return (await streams.getMessage('EVENTS', { last_by_subj: subject })).data
}
