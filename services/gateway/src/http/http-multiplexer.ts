import type { Server as Http1Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import net from 'node:net'
import { NetworkCounts, networksOf, type Network } from '@parley/redis'
import { plainAddress } from '@parley/runtime'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const firstBytesTimeoutMs = 10_000

/** `perNetwork`: 0 for no limit. Proxies, which serve many networks, are exempt. */
export type ConnectionLimits = { perNetwork: number; isProxy: (address: string) => boolean }

export function createHttpMultiplexer(
  http1: Http1Server,
  http2: Http2Server,
  { perNetwork, isProxy }: ConnectionLimits,
): { server: net.Server; sockets: Set<net.Socket> } {
  const sockets = new Set<net.Socket>()
  const counts = new NetworkCounts(perNetwork > 0 ? perNetwork : Infinity)
  const server = net.createServer({ noDelay: true }, (socket) => {
    const networks = networksOfPeer(socket.remoteAddress, isProxy)
    if (networks && !counts.take(networks)) return void socket.destroy()
    sockets.add(socket)
    // After a declined upgrade the connection is parsed again, which adds listeners each time.
    socket.setMaxListeners(0)
    let head: Buffer = Buffer.alloc(0)
    const tooSlow = setTimeout(() => socket.destroy(), firstBytesTimeoutMs)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(tooSlow)
      sockets.delete(socket)
      if (networks) counts.release(networks)
    })
    const onData = (data: Buffer): void => {
      head = head.length === 0 ? data : Buffer.concat([head, data])
      const length = Math.min(head.length, preface.length)
      const isHttp2 = head.compare(preface, 0, length, 0, length) === 0
      if (isHttp2 && head.length < preface.length) return
      clearTimeout(tooSlow)
      socket.removeListener('data', onData)
      socket.pause()
      socket.unshift(head)
      if (isHttp2) http2.emit('connection', socket)
      else {
        http1.emit('connection', socket)
        // Only for node:http: http2 takes over the handle of the socket, which must stay paused.
        socket.resume()
      }
    }
    socket.on('data', onData)
  })
  return { server, sockets }
}

function networksOfPeer(peer: string | undefined, isProxy: (address: string) => boolean): Network[] | undefined {
  const address = plainAddress(peer ?? '') ?? ''
  return isProxy(address) ? undefined : networksOf(address)
}
