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
import { openForTests } from '@parley/testkit/open-for-tests'
import { readConfig } from '../src/config.ts'
import { startAccounts, type Overrides } from '../src/service.ts'

export { codeOf } from '@parley/testkit'

export const secretKey = 'a secret key that is long enough for tests'
export const password = 'correct horse battery'

export type Env = Awaited<ReturnType<typeof openEnv>>

/** A test can change the fakes at any time. */
const createFakes = () => ({
  unavailable: new Set<'messaging' | 'notifications' | 'rooms'>(),
  blocked: ['root'],
  serverName: 'Our <Chat>',
  policy: standardPolicy(),
  /** Users whose audience was requested. Rooms returns Ubert as the audience of each. */
  audienceRequests: [] as string[],
  /** Requests to store an image. The returned key contains the blob's id. */
  images: [] as StoreServerImageRequest[],
  /** Requests to import an image. Fetching from the host "broken" fails. */
  imports: [] as ImportServerImageRequest[],
  /** Called while uploads fetches an external image. */
  duringImport: (_image: ImportServerImageRequest): Promise<unknown> => Promise.resolve(),
})
type Fakes = ReturnType<typeof createFakes>

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
      const fakes = createFakes()
      await harness.serveFakes(fakeRoutes(fakes))
      const { start } = harness
      let newestKey = secretKey
      return {
        ...{ redis, fakes },
        /** Of the process that was started last. */
        secretKey: () => newestKey,
        ...harness.clients({
          internal: AccountsInternalService,
          operator: OperatorService,
          transfer: AccountsTransferService,
          signIn: SignInInternalService,
        }),
        /** Methods that require a fresh credential need a caller with a credential id. */
        as: harness.client,
        viewerOf: (userId: string, ...roleIds: string[]) => harness.client(ViewerService, { userId, roleIds }),
        start: (settings: Record<string, string> = {}, overrides: Overrides = {}) => {
          newestKey = settings['PARLEY_CORE_SECRET_KEY'] ?? secretKey
          return start(settings, overrides)
        },
      }
    },
  )

/** Opens an environment for the tests of a file. */
export const useEnv = () => openForTests(openEnv)

const fakeRoutes = (fakes: Fakes) => (routes: ServiceRoutes) => {
  const assertAvailable = (service: 'messaging' | 'notifications' | 'rooms') => {
    if (fakes.unavailable.has(service)) throw new ConnectError('unavailable in this test', Code.Unavailable)
  }
  const isBlocked = (login: string) => fakes.blocked.includes(login.toLowerCase())
  routes.service(AdminInternalService, {
    getServerName: () => ({ name: fakes.serverName }),
    getPolicy: () => fakes.policy,
    checkLogin: ({ login }) => ({ blocked: isBlocked(login) }),
    checkLogins: ({ logins }) => ({ blocked: logins.filter(isBlocked) }),
  })
  routes.service(MessagingInternalService, {
    hasUnread: () => {
      assertAvailable('messaging')
      return { rooms: true, followedThreads: true }
    },
  })
  routes.service(NotificationsInternalService, {
    getPreferences: () => {
      assertAvailable('notifications')
      return { rooms: [{ roomId: 'R1' }] }
    },
  })
  routes.service(RoomsInternalService, {
    listPresenceAudiences: ({ userIds }) => {
      assertAvailable('rooms')
      fakes.audienceRequests.push(...userIds)
      return { audiences: userIds.map((userId) => ({ userId, others: ['Ubert'] })) }
    },
  })
  routes.service(UploadsInternalService, {
    storeServerImage: (image) => {
      fakes.images.push(image)
      return { key: `key-of-${image.blobId}` }
    },
    importServerImage: async (image) => {
      fakes.imports.push(image)
      await fakes.duringImport(image)
      if (new URL(image.url).host === 'broken') throw new ConnectError('cannot be fetched', Code.Unavailable)
      return { key: `key-of-${image.url}` }
    },
  })
}

export async function makeUser(env: Env, login: string, more: { email?: string; roleNames?: string[] } = {}) {
  return (await env.operator.createUser({ login, password, ...more })).userId
}

/** Returns the session and the digests of both credentials. */
export async function signIn(env: Env, identifier: string, secret = password) {
  const session = await env.internal.passwordLogin({ identifier, password: secret })
  const bearer = credentialDigest(env.secretKey(), session.token)
  const cookie = credentialDigest(env.secretKey(), session.cookieHandle)
  return { session, bearer, cookie, digests: [bearer, cookie] }
}

export async function callersOf(env: Env, digests: Uint8Array[]) {
  const { entries } = await env.internal.authenticate({ digests })
  return new Map(entries.map(({ digest, caller }) => [Buffer.from(digest).toString('hex'), caller]))
}

/** Signs in. Returns the caller that the gateway would derive from the bearer token. */
export async function callerOf(env: Env, identifier: string): Promise<TestCaller> {
  const { session, bearer } = await signIn(env, identifier)
  const caller = (await callersOf(env, [bearer])).get(bearer.toString('hex'))
  return { userId: session.userId, roleIds: caller?.roleIds ?? [], credentialId: caller?.credentialId ?? '' }
}

/** The stream acknowledges no messages until the result is disposed. */
export async function disableStreamAcks(bus: Bus): Promise<AsyncDisposable> {
  const { streams } = await bus.nc.jetstreamManager()
  const { config } = await streams.info('EVENTS')
  await streams.update('EVENTS', { ...config, no_ack: true })
  return {
    async [Symbol.asyncDispose]() {
      await streams.update('EVENTS', { ...config, no_ack: false })
    },
  }
}

/** The last message with this subject. */
export async function lastOnStream(bus: Bus, subject: string): Promise<Uint8Array> {
  const { streams } = await bus.nc.jetstreamManager()
  return (await streams.getMessage('EVENTS', { last_by_subj: subject })).data
}
