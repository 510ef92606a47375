import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { afterResponses, answerRequests, hasBody, defaultTimeouts, type HttpTimeouts } from '@parley/runtime'
import type { Dispatch } from './dispatch.ts'
import { createHttpMultiplexer, type ConnectionLimits } from './http-multiplexer.ts'
import { pathOf } from './path.ts'
import { reparseWithoutUpgrade } from './reparse.ts'
import type { WebSocketProxy } from './websocket-proxy.ts'

type Options = {
  host: string
  port: number
  dispatch: Pick<Dispatch, 'http1' | 'http2'>
  realtime: WebSocketProxy
  connections: ConnectionLimits
  timeouts?: HttpTimeouts
}

export type PublicPort = {
  port: number
  /**
   * Asks WebSockets to reconnect elsewhere, for up to a third of `deadlineMs`. Then accepts no new connections and lets
   * requests finish. Connections that remain `deadlineMs` after the start are closed.
   */
  drain: (deadlineMs: number) => Promise<void>
}

const keepAliveTimeoutMs = 65_000
const maxConcurrentStreams = 100
/** In bytes per HTTP/2 request; the same as for HTTP/1.1. */
const maxHeaderListSize = 16 * 1024
/**
 * How long a drain keeps idle connections, because a client may already have sent a request. At most half of the
 * remaining time.
 */
const idleGraceMs = 1_000

/**
 * The default of Node.js, 511, is less than the number of clients that may reconnect at once, and a client retries a
 * connection beyond the backlog only after a second. The kernel may allow fewer.
 */
const maxPendingConnections = 4_096

export async function servePublicPort(options: Options): Promise<PublicPort> {
  const { host, port, dispatch, realtime, connections, timeouts = defaultTimeouts } = options
  let draining = false
  const http1 = createHttp1(dispatch.http1, realtime, timeouts, () => draining)
  const { http2, sessions } = createHttp2(dispatch.http2, timeouts)
  const { server, sockets } = createHttpMultiplexer(http1, http2, connections)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: maxPendingConnections }, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async drain(deadlineMs) {
      draining = true
      const endsAt = Date.now() + deadlineMs
      // The port stays open during this: reconnecting clients may come here before a load balancer notices.
      await realtime.drain(deadlineMs / 3)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      const leftMs = Math.max(0, endsAt - Date.now())
      const graceOver = Date.now() + Math.min(idleGraceMs, leftMs / 2)
      const idle = setInterval(() => Date.now() >= graceOver && http1.closeIdleConnections(), 50)
      const deadline = setTimeout(() => {
        for (const socket of sockets) socket.destroy()
      }, leftMs)
      await closed
      clearInterval(idle)
      clearTimeout(deadline)
      http1.close()
    },
  }
}

/** While draining, each response ends its connection. */
function createHttp1(
  dispatch: Dispatch['http1'],
  realtime: WebSocketProxy,
  timeouts: HttpTimeouts,
  isDraining: () => boolean,
): Server {
  const http1 = createServer({
    ...{ keepAliveTimeout: keepAliveTimeoutMs, noDelay: true },
    ...{ headersTimeout: timeouts.head, requestTimeout: timeouts.request },
    connectionsCheckingInterval: Math.min(timeouts.head, 10_000),
  })
  http1.setTimeout(timeouts.idle)
  answerRequests(http1, (request, response) => {
    if (isDraining()) response.shouldKeepAlive = false
    dispatch(request, response)
  })
  http1.on('upgrade', (request, socket, head) =>
    afterResponses(socket, () => {
      if (isWebSocketUpgrade(request) && pathOf(request.url) === '/api/realtime')
        realtime.upgrade(request, socket, head)
      else reparseWithoutUpgrade(http1, request, socket, head)
    }),
  )
  http1.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    else socket.destroy()
  })
  // The server never listens itself, but this event starts its timeouts and its list of idle connections.
  http1.emit('listening')
  return http1
}

function createHttp2(
  dispatch: Dispatch['http2'],
  timeouts: HttpTimeouts,
): { http2: Http2Server; sessions: Set<ServerHttp2Session> } {
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams, maxHeaderListSize } }, dispatch)
  // By default Node.js throws when it sends 100-continue on a closed stream.
  http2.on('checkContinue', (request, response) => {
    if (request.stream.destroyed || request.stream.closed) return
    response.writeContinue()
    dispatch(request, response)
  })
  const sessions = new Set<ServerHttp2Session>()
  http2.on('session', (session) => {
    destroyAfterReading(session)
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    let streams = 0
    session.on('stream', (stream) => {
      streams++
      stream.once('close', () => streams--)
    })
    // An idle session without streams is closed with a GOAWAY; one with streams is destroyed.
    session.setTimeout(timeouts.idle, () => (streams > 0 ? session.destroy() : session.close()))
  })
  return { http2, sessions }
}

/**
 * A GOAWAY with an error destroys a session at once. Further frames in the same chunk then make Node.js abort the
 * process. So a session is destroyed only after the chunk has been processed.
 */
function destroyAfterReading(session: ServerHttp2Session): void {
  const destroy = session.destroy.bind(session)
  session.destroy = (...reason) => void setImmediate(() => destroy(...reason))
}

const isWebSocketUpgrade = (request: IncomingMessage): boolean =>
  request.method === 'GET' && /^websocket$/i.test(request.headers.upgrade ?? '') && !hasBody(request)
