import { createServer } from 'node:net'
import {
  App as createTemplatedApp,
  us_listen_socket_close,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js'

export type { HttpRequest, HttpResponse, WebSocket, WebSocketBehavior, us_socket_context_t } from 'uWebSockets.js'

/** The types lack the overload with host and options. */
type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: us_listen_socket | false) => void,
) => void
export type App = TemplatedApp & { listen: Listen }

export const createApp = (): App => createTemplatedApp() as App

/**
 * The library lets at most 512 connections per listening socket wait to be accepted. If thousands reconnect at once,
 * the others retry only after a second or more. With several listening sockets the kernel lets more of them wait.
 */
const listeningSockets = 8
const sharedPort = 0

/** Closing it refuses new connections and keeps open ones. */
export type ListeningPort = { port: number; close: () => void }

export async function listen(app: App, host: string, requested: number): Promise<ListeningPort> {
  const port = await findFreePort(host, requested)
  const sockets = Array.from({ length: listeningSockets }, () => listenOnce(app, host, port))
  const close = (): void => {
    for (const socket of sockets) if (socket) us_listen_socket_close(socket)
  }
  if (sockets.every(Boolean)) return { port, close }
  close()
  throw cannotListen(host, port)
}

function listenOnce(app: App, host: string, port: number): us_listen_socket | false {
  let listening: us_listen_socket | false = false
  app.listen(host, port, sharedPort, (socket) => (listening = socket))
  return listening
}

/** Rejects if the port is in use: otherwise two processes would share it. */
function findFreePort(host: string, requested: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', () => reject(cannotListen(host, requested)))
    server.listen(requested, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : requested))
    })
  })
}

const cannotListen = (host: string, port: number): Error =>
  new Error(`cannot listen on ${host}:${port}: the port is in use or not allowed`)
