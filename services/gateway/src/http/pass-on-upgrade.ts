import { request as httpRequest, ServerResponse, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Targets } from '../clients/targets.ts'
import { endToEnd, onwardHeaders, onwardPath, type Forwarded } from './hop-by-hop.ts'
import { replyJson } from './reply.ts'

/** How long a node may take to answer an upgrade, in milliseconds. */
const answerMs = 10_000

/**
 * Passes WebSockets on to realtime nodes where no ingress does: the next one is tried when one does not answer. Nothing that
 * a client sends reaches a node before that has taken the upgrade; a node that refuses it gets no second request.
 */
export class PassOnUpgrade {
  readonly #targets: Targets<URL>
  readonly #forwarded: Forwarded

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
    this.#ask({ request, socket, head }, this.#targets.inTurn())
  }

  #ask(asked: { request: IncomingMessage; socket: Duplex; head: Buffer }, [target, ...others]: readonly URL[]): void {
    const { request, socket, head } = asked
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
      this.#ask(asked, others)
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
      join(socket, behind)
    })
    onward.end()
  }
}

/** An ordinary answer to a request whose connection the parser has let go of; the connection ends with it. */
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

function join(socket: Duplex, behind: Socket): void {
  // The node looks after its sockets itself.
  behind.setTimeout(0)
  if (socket instanceof Socket) socket.setTimeout(0)
  behind.setNoDelay(true)
  socket.pipe(behind).pipe(socket)
  const end = (): void => {
    socket.destroy()
    behind.destroy()
  }
  for (const side of [socket, behind]) side.on('error', end).on('close', end)
}
