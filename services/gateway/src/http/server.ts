import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2'
import { answerRequests, hasBody } from '@parley/runtime'
import type { Dispatch } from './dispatch.ts'
import { createFront } from './front.ts'
import { pathOf } from './path.ts'
import { readAgainWithoutUpgrade } from './upgrade.ts'
import type { PassOnUpgrade } from './pass-on-upgrade.ts'

type Options = { host: string; port: number; dispatch: Dispatch; realtime: PassOnUpgrade }

/** The open public port. */
export type PublicPort = {
  port: number
  /** Takes no new connections, lets requests under way finish, then closes what is left at the deadline. */
  drain: (deadlineMs: number) => Promise<void>
}

const keepAliveTimeoutMs = 65_000
/** While draining, busy connections get this long to hear that they end: closing one early could cut off a request. */
const idleGraceMs = 1_000

export async function servePublicPort({ host, port, dispatch, realtime }: Options): Promise<PublicPort> {
  let draining = false
  const http1 = createServer({ keepAliveTimeout: keepAliveTimeoutMs, noDelay: true })
  answerRequests(http1, (request, response) => {
    if (draining) response.shouldKeepAlive = false
    dispatch.http1(request, response)
  })
  const http2 = createHttp2Server({}, dispatch.http2)
  const sessions = new Set<ServerHttp2Session>()
  http2.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
  })
  http1.on('upgrade', (request, socket, head) => {
    if (isSocketOffer(request) && pathOf(request.url) === '/api/realtime') realtime.upgrade(request, socket, head)
    else readAgainWithoutUpgrade(http1, request, socket, head)
  })
  http1.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    else socket.destroy()
  })
  // It is handed its connections and never listens, but its time limits and its list of idle connections begin with this.
  http1.emit('listening')
  const { server, sockets } = createFront(http1, http2)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async drain(deadlineMs) {
      draining = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      const graceOver = Date.now() + Math.min(idleGraceMs, deadlineMs / 2)
      const idle = setInterval(() => Date.now() >= graceOver && http1.closeIdleConnections(), 50)
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, deadlineMs)
      await closed
      clearInterval(idle)
      clearTimeout(deadline)
      http1.close()
    },
  }
}

const isSocketOffer = (request: IncomingMessage): boolean =>
  request.method === 'GET' && /^websocket$/i.test(request.headers.upgrade ?? '') && !hasBody(request)
