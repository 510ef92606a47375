import { signSessionCookie } from '@parley/credentials'
import { publishEvents, testService, type TestProcess } from '@parley/testkit'
import { openForTests } from '@parley/testkit/open-for-tests'
import { readConfig } from '../src/config.ts'
import { startRealtime } from '../src/service.ts'
import { postedTo } from './_events.ts'
import { secretKey, createStandIns } from './_stand-ins.ts'
import { Socket } from '@parley/testkit/realtime-socket'

export { waitUntilReady } from '@parley/testkit'
export { secretKey }

export const cookieSecret = 'another secret that is long enough for tests'

export type Node = TestProcess

export type Env = Awaited<ReturnType<typeof openEnv>>

export const openEnv = () =>
  testService(
    {
      ...{ start: startRealtime, readConfig },
      settings: {
        PARLEY_CORE_SECRET_KEY: secretKey,
        PARLEY_WEBSERVER_URL: 'http://chat.example.org',
        PARLEY_WEBSERVER_COOKIE_SIGNING_SECRET: cookieSecret,
        PARLEY_REALTIME_HOST: '127.0.0.1',
        PARLEY_REALTIME_PORT: '0',
        PARLEY_REALTIME_DRAIN_WINDOW: '100ms',
      },
    },
    async (harness) => {
      const { routes, ...services } = createStandIns()
      await harness.serveFakes(routes)
      const sockets: Socket[] = []
      harness.beforeDispose('sockets', () => sockets.forEach((socket) => socket.close()))
      return {
        ...services,
        async socketOf(node: Node, userId: string): Promise<Socket> {
          const socket = await Socket.subscribe(node.url, services.signIn(userId))
          sockets.push(socket)
          return socket
        },
      }
    },
  )

/** Opens an environment for the tests of a file. */
export const useEnv = () => openForTests(openEnv)

export const cookieOf = (handle: string): string => `parley_session=${signSessionCookie(cookieSecret, handle)}`

let marks = 0

/** Waits until the sockets have received an event, and therefore everything published before it. */
export async function settle(env: Env, people: Record<string, Socket[]>): Promise<void> {
  const mark = postedTo(Object.keys(people), `Rmark${++marks}`, 1)
  await publishEvents(env.bus, mark)
  await Promise.all(
    Object.values(people)
      .flat()
      .map((socket) => socket.waitForEvent(mark.id)),
  )
}

/** Ids of the received events, without those of `settle`. */
export const receivedBy = (socket: Socket): string[] =>
  socket.events.filter(({ event }) => !JSON.stringify(event.value ?? {}).includes('Rmark')).map(({ id }) => id)
