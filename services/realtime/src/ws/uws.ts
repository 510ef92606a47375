import { createServer } from 'node:net'
import * as library from 'uWebSockets.js'
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'

export type { HttpRequest, HttpResponse, WebSocket, us_socket_context_t } from 'uWebSockets.js'

type ListenSocketCalls = {
  us_listen_socket_close?: (socket: us_listen_socket) => void
  us_socket_local_port?: (socket: us_listen_socket) => number
  closeSocket?: (socket: us_listen_socket) => void
  getSocketPort?: (socket: us_listen_socket) => number
  LIBUS_LISTEN_EXCLUSIVE_PORT?: number
}

// The package on npm and the official build name these two differently; either may be installed.
const exported: { default?: ListenSocketCalls } & ListenSocketCalls = library
const calls: ListenSocketCalls = { ...exported.default, ...exported }

/** The types leave out that a host and options go together. */
type Listen = (
  host: string,
  port: number,
  options: number,
  listening: (socket: us_listen_socket | false) => void,
) => void
export type App = TemplatedApp & { listen: Listen; close?: () => void }

export const createApp = (): App => library.App() as App

/** An open listening port: closing it refuses new connections and keeps those that are open. */
export type ListeningPort = { port: number; close: () => void }

/** Listens; rejects when the port is taken. 0 takes a free one. */
export async function listen(app: App, host: string, wanted: number): Promise<ListeningPort> {
  // Asked for port 0 the library does not let the address be used again: after a crash the same port would be refused
  // for as long as the kernel remembers the connections of the process before.
  const port = wanted === 0 ? await freePort(host) : wanted
  return new Promise((resolve, reject) => {
    // Otherwise two processes would share the port without a word.
    app.listen(host, port, calls.LIBUS_LISTEN_EXCLUSIVE_PORT ?? 1, (socket) => {
      if (!socket) return reject(new Error(`cannot listen on ${host}:${port}: the port is in use or not allowed`))
      const localPort = calls.us_socket_local_port ?? calls.getSocketPort
      const closePort = calls.us_listen_socket_close ?? calls.closeSocket
      if (!localPort || !closePort)
        return reject(new Error('this build of uWebSockets.js lacks its listen socket calls'))
      resolve({ port: localPort(socket), close: () => closePort(socket) })
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
