import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const upgradeHeaders = new Set(['upgrade', 'connection', 'http2-settings'])

/**
 * The parser has released the connection of a client that offered an upgrade, such as cleartext HTTP/2, so the request
 * is parsed again.
 */
export function reparseWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(i, i + 2)
    if (!upgradeHeaders.has(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]))
  server.emit('connection', socket)
}
