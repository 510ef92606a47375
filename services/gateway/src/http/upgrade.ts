import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const offering = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * A client may offer an upgrade (such as cleartext HTTP/2) and the server may ignore it. The parser has already
 * released the connection, so it parses the request again, without the offer.
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
