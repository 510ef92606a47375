import { draining } from '../errors.ts'
import { Connection } from './connection.ts'
import type { ConnectionContext } from './connection-context.ts'
import { maxFrameBytes } from './client-frame.ts'
import type { Upgrade } from './credentials.ts'
import type { PresentedCredentials } from './presented-credentials.ts'
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
  readCredentials: (upgrade: Upgrade) => PresentedCredentials | undefined
}

type UserData = { connection: Connection | undefined; presented: PresentedCredentials | undefined }

export type SocketServer = {
  port: number
  /** Connections whose stream has not started. After the start, a connection stays in this set until the next sweep. */
  handshaking: Set<Connection>
  context: ConnectionContext
  startAccepting: () => void
  publish: (topic: string, frame: Uint8Array) => void
  countSubscribers: (topic: string) => number
  /** Refuses new sockets and closes those whose stream has not started; the others continue. */
  stopAccepting: () => void
  close: () => void
}

const notUpgraded = 'this is a WebSocket: open it with GET and the headers Connection: Upgrade and Upgrade: websocket'

const respond = (res: HttpResponse, status: string, error: string, headers: Record<string, string> = {}) =>
  res.cork(() => {
    res.writeStatus(status).writeHeader('Content-Type', 'application/json')
    for (const [name, value] of Object.entries(headers)) res.writeHeader(name, value)
    res.end(JSON.stringify({ error }))
  })

export async function serveSockets(
  options: Options,
  createContext: (publish: SocketServer['publish']) => ConnectionContext,
): Promise<SocketServer> {
  const app: App = createApp()
  const handshaking = new Set<Connection>()
  let refusal: string | undefined = 'this node is starting; try again shortly'
  const publish = (topic: string, frame: Uint8Array): void => {
    app.publish(topic, frame, true, false)
  }
  const connectionContext = createContext(publish)

  app.ws<UserData>('/api/realtime', {
    // Frames above the protocol's limit get an error; only huge ones close the connection without an error frame.
    maxPayloadLength: 2 * maxFrameBytes,
    maxBackpressure: options.maxBackpressureBytes,
    closeOnBackpressureLimit: true,
    idleTimeout: 60,
    sendPingsAutomatically: true,
    upgrade: (res, req, socketContext) => {
      if (refusal) return void respond(res, '503 Service Unavailable', refusal)
      upgrade(res, req, socketContext, options.readCredentials)
    },
    ...socketEvents(handshaking, connectionContext),
  })
  app.any('/api/realtime', (res) => void respond(res, '426 Upgrade Required', notUpgraded, { Upgrade: 'websocket' }))
  app.any('/*', (res) => void respond(res, '404 Not Found', 'not found: this port serves /api/realtime only'))

  const listening = await listen(app, options.host, options.port)
  return {
    port: listening.port,
    handshaking,
    publish,
    countSubscribers: (topic) => app.numSubscribers(topic),
    context: connectionContext,
    startAccepting() {
      refusal = undefined
    },
    stopAccepting() {
      refusal = 'this node is shutting down; reconnect to another'
      listening.close()
      for (const connection of handshaking) if (!connection.isOpen) connection.end(draining)
    },
    close: () => void app.close(),
  }
}

function upgrade(
  res: HttpResponse,
  req: HttpRequest,
  socketContext: us_socket_context_t,
  readCredentials: Options['readCredentials'],
): void {
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString()
  const presented = readCredentials({ request: req, peer })
  if (!presented)
    return void respond(res, '403 Forbidden', 'permission denied: this origin is not allowed to open sockets')
  res.upgrade<UserData>(
    { connection: undefined, presented },
    req.getHeader('sec-websocket-key'),
    req.getHeader('sec-websocket-protocol'),
    req.getHeader('sec-websocket-extensions'),
    socketContext,
  )
}

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
      connection.onClose()
    },
  } satisfies WebSocketBehavior<UserData>
}
