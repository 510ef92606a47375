import { draining } from '../errors.ts'
import { Connection } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { maxFrameBytes } from './client-frame.ts'
import type { Upgrade } from './credentials.ts'
import type { Presented } from './presented.ts'
import {
  createApp,
  listen,
  type App,
  type HttpRequest,
  type HttpResponse,
  type us_socket_context_t,
  type WebSocketBehavior,
} from './uws.ts'

type Options = {
  host: string
  port: number
  maxBackpressureBytes: number
  /** Extracts the credentials of the request, which is refused if undefined. */
  presented: (upgrade: Upgrade) => Presented | undefined
}

/** User data of a uWebSockets.js socket. */
type UserData = { connection: Connection | undefined; presented: Presented | undefined }

/** The port of GET /api/realtime. */
export type SocketServer = {
  port: number
  /** Connections that have not said hello yet. */
  handshaking: Set<Connection>
  context: ConnectionContext
  /** Starts accepting sockets; before, clients are asked to retry. */
  startAccepting: () => void
  publish: (topic: string, frame: Uint8Array) => void
  /** Number of sockets subscribed to a topic. */
  subscribers: (topic: string) => number
  /** Refuses new sockets and closes unfinished ones; open ones continue. */
  stopAccepting: () => void
  close: () => void
}

const socketWanted = 'this is a WebSocket: open it with GET and the headers Connection: Upgrade and Upgrade: websocket'

const answer = (res: HttpResponse, status: string, error: string, headers: Record<string, string> = {}) =>
  res.cork(() => {
    res.writeStatus(status).writeHeader('Content-Type', 'application/json')
    for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
    res.end(JSON.stringify({ error }))
  })

export async function serveSockets(
  options: Options,
  context: (publish: SocketServer['publish']) => ConnectionContext,
): Promise<SocketServer> {
  const app: App = createApp()
  const handshaking = new Set<Connection>()
  let refusal: string | undefined = 'this node is starting'
  const publish = (topic: string, frame: Uint8Array): void => {
    app.publish(topic, frame, true, false)
  }
  const connectionContext = context(publish)

  app.ws<UserData>('/api/realtime', {
    // Frames above the protocol's limit are answered with an error; only huge ones close the connection without one.
    maxPayloadLength: 2 * maxFrameBytes,
    maxBackpressure: options.maxBackpressureBytes,
    closeOnBackpressureLimit: true,
    idleTimeout: 60,
    sendPingsAutomatically: true,
    upgrade: (res, req, socketContext) => {
      if (refusal) return void answer(res, '503 Service Unavailable', refusal)
      upgrade(res, req, socketContext, options.presented)
    },
    ...socketEvents(handshaking, connectionContext),
  })
  app.any('/api/realtime', (res) => void answer(res, '426 Upgrade Required', socketWanted, { Upgrade: 'websocket' }))
  app.any('/*', (res) => void answer(res, '404 Not Found', 'not found: this port serves /api/realtime only'))

  const listening = await listen(app, options.host, options.port)
  return {
    port: listening.port,
    handshaking,
    publish,
    subscribers: (topic) => app.numSubscribers(topic),
    context: connectionContext,
    startAccepting() {
      refusal = undefined
    },
    stopAccepting() {
      refusal = 'this node is going down'
      listening.close()
      for (const connection of handshaking) if (!connection.isOpen) connection.end(draining)
    },
    close: () => void app.close(),
  }
}

/** Turns a request into a socket, or refuses it. */
function upgrade(
  res: HttpResponse,
  req: HttpRequest,
  socketContext: us_socket_context_t,
  presentedBy: Options['presented'],
): void {
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString()
  const presented = presentedBy({ request: req, peer })
  if (!presented)
    return void answer(res, '403 Forbidden', 'permission denied: this origin is not allowed to open sockets')
  res.upgrade<UserData>(
    { connection: undefined, presented },
    req.getHeader('sec-websocket-key'),
    req.getHeader('sec-websocket-protocol'),
    req.getHeader('sec-websocket-extensions'),
    socketContext,
  )
}

/** Creates a connection for each socket, and passes incoming frames to it. */
function socketEvents(handshaking: Set<Connection>, context: ConnectionContext) {
  return {
    open: (ws) => {
      const data = ws.getUserData()
      if (!data.presented) return
      data.connection = new Connection(ws, data.presented, context)
      data.presented = undefined
      handshaking.add(data.connection)
    },
    message: (ws, data, isBinary) => {
      const { connection } = ws.getUserData()
      if (!connection) return
      connection.receive(data, isBinary)
      if (connection.isOpen) handshaking.delete(connection)
    },
    ping: (ws, data) => ws.getUserData().connection?.receiveControl(data),
    pong: (ws, data) => ws.getUserData().connection?.receiveControl(data),
    close: (ws) => {
      const { connection } = ws.getUserData()
      if (!connection) return
      handshaking.delete(connection)
      connection.closed()
    },
  } satisfies WebSocketBehavior<UserData>
}
