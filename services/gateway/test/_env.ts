import type { HandlerContext } from '@connectrpc/connect'
import { signSessionCookie } from '@parley/credentials'
import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { declareStreams } from '@parley/events'
import { callerOf, idempotencyKeyOf, serveRpc, type Bus } from '@parley/rpc'
import { Resources, type Service } from '@parley/runtime'
import { eventually, testBus, testNats, testRedis, type Outage, Browser } from '@parley/testkit'
import { readConfig } from '../src/config.ts'
import { startGateway } from '../src/service.ts'
import { Accounts, secretKey } from './_accounts.ts'

const cookieSecret = 'another secret that is long enough for tests'

/** What came to rooms, which answers GetRoom with the room's id as name. */
export type Received = { userId: string; key: string | undefined; roomId: string; headers: Headers }

export type Env = AsyncDisposable & {
  bus: Bus
  redis: Outage
  accounts: Accounts
  received: Received[]
  /** What discovery says. */
  server: { registration: boolean; providers: { id: string; type: string; label: string }[]; logoUrl?: string }
  /** Stops a call at rooms until the result is called. */
  hold: () => () => void
  start: (settings?: Record<string, string>) => Promise<Gateway>
}

export type Gateway = Service & { url: string; browser: () => Browser }

/** Everything around the gateway over a real bus and a real Redis; the neighbours are stand-ins. */
export async function openEnv(): Promise<Env> {
  await using opened = new Resources()
  const nats = opened.use(await testNats())
  const redis = opened.use(await testRedis())
  const { bus } = opened.use(await testBus(nats.url))
  await declareStreams(bus)

  const accounts = new Accounts()
  const received: Received[] = []
  const server: Env['server'] = { registration: true, providers: [] }
  let held = Promise.resolve()
  opened.use(await serveRpc(bus, { deployable: 'accounts', routes: accounts.routes }))
  const discovery = {
    getServer: () => ({
      profile: { name: 'Lodge <&>', version: '1', ...(server.logoUrl !== undefined && { logoUrl: server.logoUrl }) },
      login: {
        directRegistrationEnabled: server.registration,
        providers: server.providers.map((provider) => ({ ...provider, loginUrl: `/auth/providers/${provider.id}` })),
      },
    }),
  }
  opened.use(
    await serveRpc(bus, { deployable: 'admin', routes: (routes) => routes.service(ServerDiscoveryService, discovery) }),
  )
  opened.use(
    await serveRpc(bus, {
      deployable: 'rooms',
      routes: (routes) => {
        routes.service(RoomDirectoryService, {
          getRoom: async ({ roomId }, context) => {
            received.push({ ...what(context), roomId })
            await held
            context.responseHeader.set('parley-session', 'handle 60 U1')
            context.responseHeader.set('parley-secret', 'inside')
            return { room: { room: { id: roomId, name: roomId } } }
          },
        })
        routes.service(RoomService, {
          createRoom: ({ name }, context) => {
            received.push({ ...what(context), roomId: name })
            return { room: { id: 'R1', name } }
          },
        })
      },
    }),
  )
  const processes = opened.use(new Resources())
  const closing = opened.move()
  return {
    ...{ bus, redis, accounts, received, server },
    hold() {
      let release = () => {}
      held = new Promise((resolve) => (release = resolve))
      return release
    },
    async start(settings = {}) {
      const config = readConfig({
        env: {
          PARLEY_NATS_URL: nats.url,
          PARLEY_REDIS_URL: redis.url,
          PARLEY_CORE_SECRET_KEY: secretKey,
          PARLEY_WEBSERVER_URL: 'http://chat.example.org',
          PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: cookieSecret,
          PARLEY_WEBSERVER_HOST: '127.0.0.1',
          PARLEY_WEBSERVER_PORT: '0',
          PARLEY_UPLOADS_BLOB_SECRET: 'a third secret that is long enough for tests',
          ...settings,
        },
      })
      const service = processes.use(once(await startGateway(config)))
      const url = service.url ?? ''
      await eventually(async () => {
        const { status } = await fetch(`${url}/readyz`)
        if (status !== 200) throw new Error(`not ready: ${status}`)
      })
      return { ...service, url, browser: () => new Browser(url) }
    },
    [Symbol.asyncDispose]: async () => closing[Symbol.asyncDispose](),
  }
}

const what = (context: HandlerContext) => ({
  userId: callerOf(context).userId,
  key: idempotencyKeyOf(context),
  headers: context.requestHeader,
})

/** Tests may end a gateway before the environment does. */
function once(service: Service): Service {
  let ended: Promise<void> | undefined
  return { ...service, [Symbol.asyncDispose]: () => (ended ??= Promise.resolve(service[Symbol.asyncDispose]())) }
}

/** The cookie header of a browser session. */
export const sessionCookie = (handle: string): string => `parley_session=${signSessionCookie(cookieSecret, handle)}`
