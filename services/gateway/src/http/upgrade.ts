import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const offering = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * A client may offer to upgrade (to cleartext HTTP/2, say) and a server may go on as if it had not. The parser has let go of
 * the connection by now, so it is given the request once more, without the offer.
 */
export function readAgainWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(i, i + 2)
    if (!offering.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
  server.emit('connection', socket)
}
