import type { HandlerContext } from '@connectrpc/connect'
import { signSessionCookie } from '@parley/credentials'
import { RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { callerOf, idempotencyKeyOf, serveRpc } from '@parley/rpc'
import { Browser } from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import { Accounts, secretKey } from './_accounts.ts'
import { testGateway } from './_gateway.ts'

const cookieSecret = 'another secret that is long enough for tests'

export type Received = { userId: string; key: string | undefined; roomId: string; headers: Headers }

export type Env = Awaited<ReturnType<typeof openEnv>>
export type Gateway = Awaited<ReturnType<Env['start']>>

type Server = {
  registration: boolean
  providers: { id: string; type: string; label: string }[]
  logoUrl?: string
}

/** A real bus and Redis; other services are stand-ins. Rooms have their ids as names. */
export const openEnv = () =>
  testGateway(
    {
      PARLEY_CORE_SECRET_KEY: secretKey,
      PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: cookieSecret,
      PARLEY_UPLOADS_BLOB_SECRET: 'a third secret that is long enough for tests',
    },
    async (harness) => {
      const { bus, start } = harness
      const accounts = new Accounts()
      const received: Received[] = []
      const server: Server = { registration: true, providers: [] }
      let held = Promise.resolve()
      harness.use(await serveRpc(bus, { deployable: 'accounts', routes: accounts.routes }))
      const discovery = {
        getServer: () => ({
          profile: {
            name: 'Lodge <&>',
            version: '1',
            ...(server.logoUrl !== undefined && { logoUrl: server.logoUrl }),
          },
          login: {
            directRegistrationEnabled: server.registration,
            providers: server.providers.map((provider) => ({
              ...provider,
              loginUrl: `/auth/providers/${provider.id}`,
            })),
          },
        }),
      }
      harness.use(
        await serveRpc(bus, {
          deployable: 'admin',
          routes: (routes) => routes.service(ServerDiscoveryService, discovery),
        }),
      )
      harness.use(
        await serveRpc(bus, {
          deployable: 'rooms',
          routes: (routes) => {
            routes.service(RoomDirectoryService, {
              getRoom: async ({ roomId }, context) => {
                received.push({ ...describeCall(context), roomId })
                await held
                context.responseHeader.set('parley-session', 'handle 60 U1')
                context.responseHeader.set('parley-secret', 'inside')
                return { room: { room: { id: roomId, name: roomId } } }
              },
            })
            routes.service(RoomService, {
              createRoom: ({ name }, context) => {
                received.push({ ...describeCall(context), roomId: name })
                return { room: { id: 'R1', name } }
              },
            })
          },
        }),
      )
      return {
        ...{ accounts, received, server },
        /** Calls of GetRoom wait until the returned function is called. */
        hold() {
          let release = () => {}
          held = new Promise((resolve) => (release = resolve))
          return release
        },
        async start(settings?: Record<string, string>) {
          const gateway = await start(settings)
          return { ...gateway, browser: () => new Browser(gateway.url) }
        },
      }
    },
  )

/** Opens an environment for the tests of a file. */
export const useEnv = () => openForTests(openEnv)

const describeCall = (context: HandlerContext) => ({
  userId: callerOf(context).userId,
  key: idempotencyKeyOf(context),
  headers: context.requestHeader,
})

export const sessionCookie = (handle: string): string => `parley_session=${signSessionCookie(cookieSecret, handle)}`
