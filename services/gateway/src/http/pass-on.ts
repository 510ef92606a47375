import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { replyJson } from './reply.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
])
/** Names that our own processes use among each other mean nothing when they come from outside. */
const isInternal = (name: string): boolean => name.startsWith('parley-')

/** Passes requests on to other deployables where no ingress does: the next one is tried when one does not answer. */
export class PassOn {
  readonly #targets: readonly URL[]
  readonly #what: string
  #turn = 0

  constructor(what: string, targets: readonly string[]) {
    this.#what = what
    this.#targets = targets.map((target) => new URL(target))
  }

  async http(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = this.#inTurn()[0]
    if (!target) return replyJson(request, response, 404, { error: `${this.#what} is not served here` })
    const headers = Object.fromEntries(endToEnd(request).filter(([name]) => !isInternal(name)))
    // A proxy may send the whole URL; whoever answers next is asked for the path.
    const path = (request.url ?? '/').replace(/^https?:\/\/[^/?#]*/i, '')
    await new Promise<void>((resolve) => {
      const onward = httpRequest(
        { host: target.hostname, port: target.port, method: request.method, path, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, Object.fromEntries(endToEnd(answer)))
          answer.pipe(response)
          answer.on('close', () => {
            // What ends early must not look like the whole.
            if (!answer.complete) response.destroy()
            resolve()
          })
        },
      )
      onward.on('error', () => {
        if (response.headersSent) response.destroy()
        else void replyJson(request, response, 503, { error: `${this.#what} is not available; try again` })
        resolve()
      })
      response.on('close', () => onward.destroy())
      request.pipe(onward)
    })
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#connect(request, socket, head, this.#inTurn())
  }

  #connect(request: IncomingMessage, socket: Duplex, head: Buffer, targets: readonly URL[]): void {
    const [target, ...others] = targets
    if (!target)
      return void socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    const onward = net.connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    const next = (): void => this.#connect(request, socket, head, others)
    onward.once('error', next)
    onward.once('connect', () => {
      onward.removeListener('error', next)
      onward.write(requestHead(request))
      if (head.length > 0) onward.write(head)
      socket.pipe(onward).pipe(socket)
      const end = (): void => {
        socket.destroy()
        onward.destroy()
      }
      for (const side of [socket, onward]) side.on('error', end).on('close', end)
    })
  }

  #inTurn(): URL[] {
    const first = this.#targets.length === 0 ? 0 : this.#turn++ % this.#targets.length
    return [...this.#targets.slice(first), ...this.#targets.slice(0, first)]
  }
}

/** The headers that are for the one at the other end, not for the next hop. */
function endToEnd({ headers }: IncomingMessage): [string, string | string[] | undefined][] {
  return Object.entries(headers).filter(([name]) => !hopByHop.has(name))
}

function requestHead(request: IncomingMessage): string {
  const lines = [`${request.method} ${request.url} HTTP/1.1`]
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if (!isInternal(String(request.rawHeaders[i]).toLowerCase()))
      lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
