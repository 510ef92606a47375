import { request as httpRequest, ServerResponse, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { RealtimeServerFrameSchema } from '@parley/contracts/realtime'
import { encode } from '@parley/protobuf'
import { Targets } from '../clients/targets.ts'
import { endToEnd, onwardHeaders, onwardPath, type Forwarded } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'
import { serverFrame, ServerFrames } from './server-frames.ts'

/** Timeout for a node's response to an upgrade, in milliseconds. */
const answerMs = 10_000
/** Period over which sockets reconnect to another gateway. */
const spreadMs = 2000
const serviceRestart = 1012
/** Time for a client to close an ended connection. */
const lingerMs = 5000
const slices = 20

/**
 * Forwards WebSockets to realtime nodes if no ingress does. If a node does not answer, the next one is tried. Data of
 * the client is forwarded only once the node has accepted the upgrade; after a refusal the connection is not reused.
 */
export class PassOnUpgrade {
  readonly #targets: Targets<URL>
  readonly #forwarded: Forwarded
  /** The connections to nodes of the open sockets. */
  readonly #open = new Set<ServerFrames>()
  #draining = false

  constructor(targets: readonly string[], forwarded: Forwarded) {
    this.#forwarded = forwarded
    this.#targets = new Targets(
      'realtime',
      targets.map((target) => new URL(target)),
    )
  }

  /** `request` must be a GET without a body. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy())
    if (this.#draining) {
      const error = 'this gateway is going down; try again'
      return void replyJson(request, responseOn(request, socket), 503, { error })
    }
    this.#forward({ request, socket, head }, this.#targets.inTurn())
  }

  /**
   * Accepts no more sockets and closes the open ones with the request to reconnect, in random groups spread over the
   * window, so that the other gateways do not receive all of them at once. Resolves when all are closed, at the latest
   * after the window.
   */
  async drain(windowMs: number): Promise<void> {
    this.#draining = true
    const endAt = performance.now() + windowMs
    for (let left = slices; this.#open.size > 0 && performance.now() < endAt; left = Math.max(1, left - 1)) {
      for (const frames of [...this.#open]) if (Math.random() < 1 / left) frames.endWith(farewell())
      await sleep(windowMs / slices / 2)
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
    const headers = { ...onwardHeaders(request, this.#forwarded), connection: 'Upgrade', upgrade: 'websocket' }
    const { hostname: host, port } = target
    const onward = httpRequest({ host, port, path: onwardPath(request.url), headers, agent: false, timeout: answerMs })
    const gone = () => onward.destroy()
    const next = (failure: Error) => {
      if (!socket.destroyed) this.#targets.failed(target, failure)
      this.#forward(upgrade, others)
    }
    socket.once('close', gone)
    onward.once('timeout', gone)
    onward.once('error', next)
    onward.once('close', () => socket.off('close', gone))
    onward.once('response', (answer) => {
      onward.off('error', next).on('error', () => socket.destroy())
      const response = responseOn(request, socket)
      response.writeHead(answer.statusCode ?? 502, { ...endToEnd(answer.headers), connection: 'close' })
      answer.pipe(response)
    })
    onward.once('upgrade', (answer, behind, first) => {
      onward.off('error', next).on('error', () => socket.destroy())
      socket.write(switchingHead(answer))
      socket.write(first)
      behind.write(head)
      const frames = new ServerFrames()
      this.#open.add(frames)
      socket.once('close', () => this.#open.delete(frames))
      join(socket, behind, frames)
    })
    onward.end()
  }
}

/** Sends a plain HTTP response on a connection that the parser has released, and ends the connection. */
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

/** The same frame that a node sends when it shuts down. */
function farewell(): Buffer {
  const value = {
    ...{ code: 'draining', message: 'going down; connect again', reconnect: true },
    retryAfterMs: Math.round(Math.random() * spreadMs),
  }
  const close = create(RealtimeServerFrameSchema, { frame: { case: 'close', value } })
  const code = Buffer.alloc(2)
  code.writeUInt16BE(serviceRestart)
  return Buffer.concat([serverFrame('binary', encode(RealtimeServerFrameSchema, close)), serverFrame('close', code)])
}

function join(socket: Duplex, behind: Socket, frames: ServerFrames): void {
  // The node handles timeouts of its sockets itself.
  behind.setTimeout(0)
  if (socket instanceof Socket) socket.setTimeout(0)
  behind.setNoDelay(true)
  socket.pipe(behind).pipe(frames).pipe(socket)
  frames.once('end', () => {
    // A connection that is closed with unread input is reset, and the client could lose the last frames.
    socket.unpipe(behind).resume()
    if (socket instanceof Socket) socket.setTimeout(lingerMs, () => socket.destroy())
    behind.destroy()
  })
  const end = (): void => {
    socket.destroy()
    behind.destroy()
  }
  socket.on('error', end).on('close', end)
  // Its last frames may still be in flight.
  behind.on('error', end).on('close', () => frames.readableEnded || frames.writableEnded || end())
}
