import { createServer } from 'node:net'
import {
  App as createTemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js'

export type { HttpRequest, HttpResponse, WebSocket, WebSocketBehavior, us_socket_context_t } from 'uWebSockets.js'

/** The types do not declare the overload with host and options. */
type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: us_listen_socket | false) => void,
) => void
export type App = TemplatedApp & { listen: Listen }

export const createApp = (): App => createTemplatedApp() as App

/** Otherwise two processes could share the port without an error. */
const exclusivePort = 1

/** A listening port: closing it refuses new connections and keeps open ones. */
export type ListeningPort = { port: number; close: () => void }

/** Listens; rejects when the port is taken. 0 takes a free one. */
export async function listen(app: App, host: string, wanted: number): Promise<ListeningPort> {
  // For port 0 the library does not set SO_REUSEADDR, so after a crash the same port would be refused while the kernel
  // remembers connections of the previous process.
  const port = wanted === 0 ? await freePort(host) : wanted
  return new Promise((resolve, reject) => {
    app.listen(host, port, exclusivePort, (socket) => {
      if (!socket) return reject(new Error(`cannot listen on ${host}:${port}: the port is in use or not allowed`))
      resolve({ port: us_socket_local_port(socket), close: () => us_listen_socket_close(socket) })
    })
  })
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
