import { request as httpRequest, ServerResponse, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { encode } from '@parley/protobuf'
import { Targets } from '../clients/targets.ts'
import { endToEndHeaders, upstreamHeaders, upstreamPath, type DescribeClient } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'
import { serverFrame, ServerFrames } from './server-frames.ts'

const answerMs = 10_000
/** Each client reconnects to another gateway after a random delay of at most this. */
const spreadMs = 2000
const serviceRestart = 1012
/** How long a client may take to close an ended connection, in milliseconds. */
const lingerMs = 5000
/** Number of random groups in which the open sockets are closed. */
const drainGroups = 20

/**
 * Data of the client is forwarded only once a node has accepted the upgrade. If a node refuses, its response is
 * forwarded and the connection is closed.
 */
export class WebSocketProxy {
  readonly #targets: Targets<URL>
  readonly #describeClient: DescribeClient
  readonly #open = new Set<ServerFrames>()
  #draining = false

  constructor(targets: readonly string[], describeClient: DescribeClient) {
    this.#describeClient = describeClient
    this.#targets = new Targets(
      'realtime',
      targets.map((target) => new URL(target)),
    )
  }

  /** The request must be a GET without a body. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    if (this.#draining) {
      const error = 'this gateway is shutting down; try again'
      return void replyJson(request, responseOn(request, socket), 503, { error })
    }
    this.#forward({ request, socket, head }, this.#targets.inOrder())
  }

  /**
   * Asks the open sockets to reconnect, in random groups spread over half of the window, so that other gateways do not
   * receive all clients at once. Resolves when all are closed, at the latest after the window.
   */
  async drain(windowMs: number): Promise<void> {
    this.#draining = true
    const endAt = performance.now() + windowMs
    for (let left = drainGroups; this.#open.size > 0 && performance.now() < endAt; left = Math.max(1, left - 1)) {
      for (const frames of [...this.#open]) if (Math.random() < 1 / left) frames.endWith(drainingFrames())
      await sleep(windowMs / drainGroups / 2)
    }
  }

  #forward(
    upgrade: { request: IncomingMessage; socket: Duplex; head: Buffer },
    [target, ...others]: readonly URL[],
  ): void {
    const { request, socket, head } = upgrade
    if (socket.destroyed) return
    if (!target) {
      const error = 'realtime is not available; try again'
      return void replyJson(request, responseOn(request, socket), 503, { error })
    }
    const headers = { ...upstreamHeaders(request, this.#describeClient), connection: 'Upgrade', upgrade: 'websocket' }
    const { hostname: host, port } = target
    const upstream = httpRequest({
      host,
      port,
      path: upstreamPath(request.url),
      headers,
      agent: false,
      timeout: answerMs,
    })
    const abort = () => upstream.destroy()
    const next = (failure: Error) => {
      if (!socket.destroyed) this.#targets.markFailed(target, failure)
      this.#forward(upgrade, others)
    }
    socket.once('close', abort)
    upstream.once('timeout', abort)
    upstream.once('error', next)
    upstream.once('close', () => socket.off('close', abort))
    upstream.once('response', (answer) => {
      upstream.off('error', next).on('error', () => socket.destroy())
      const response = responseOn(request, socket)
      response.writeHead(answer.statusCode ?? 502, { ...endToEndHeaders(answer.headers), connection: 'close' })
      answer.pipe(response)
    })
    upstream.once('upgrade', (answer, node, first) => {
      upstream.off('error', next).on('error', () => socket.destroy())
      socket.write(switchingHead(answer))
      socket.write(first)
      node.write(head)
      const frames = new ServerFrames()
      this.#open.add(frames)
      socket.once('close', () => this.#open.delete(frames))
      connect(socket, node, frames)
      // The node accepted the upgrade after the drain had asked the open sockets to reconnect.
      if (this.#draining) frames.endWith(drainingFrames())
    })
    upstream.end()
  }
}

/** For a connection that the parser has released; closes it after the response. */
function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  return response
}

function switchingHead({ rawHeaders }: IncomingMessage): string {
  const lines = ['HTTP/1.1 101 Switching Protocols']
  for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

function drainingFrames(): Buffer {
  const value = {
    ...{ code: 'draining', message: 'this gateway is shutting down; reconnect to another', reconnect: true },
    retryAfterMs: Math.round(Math.random() * spreadMs),
  }
  const close = create(RealtimeServerFrameSchema, { frame: { case: 'close', value } })
  const code = Buffer.alloc(2)
  code.writeUInt16BE(serviceRestart)
  return Buffer.concat([serverFrame('binary', encode(RealtimeServerFrameSchema, close)), serverFrame('close', code)])
}

function connect(socket: Duplex, node: Socket, frames: ServerFrames): void {
  // The node handles timeouts of its sockets itself.
  node.setTimeout(0)
  if (socket instanceof Socket) socket.setTimeout(0)
  node.setNoDelay(true)
  socket.pipe(node).pipe(frames).pipe(socket)
  frames.once('end', () => {
    // A connection that is closed with unread input is reset, and the client could lose the last frames.
    socket.unpipe(node).resume()
    if (socket instanceof Socket) socket.setTimeout(lingerMs, () => socket.destroy())
    node.destroy()
  })
  const end = (): void => {
    socket.destroy()
    node.destroy()
  }
  socket.on('error', end).on('close', end)
  // The last frames of the node may still be in flight.
  node.on('error', end).on('close', () => frames.readableEnded || frames.writableEnded || end())
}
