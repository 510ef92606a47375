import type { Server as Http1Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import net from 'node:net'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const firstBytesTimeoutMs = 10_000

/** One port for HTTP/1.1 and cleartext HTTP/2: the first bytes of a connection say which it is. */
export function createFront(http1: Http1Server, http2: Http2Server): { server: net.Server; sockets: Set<net.Socket> } {
  const sockets = new Set<net.Socket>()
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let head: Buffer = Buffer.alloc(0)
    const tooSlow = setTimeout(() => socket.destroy(), firstBytesTimeoutMs)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(tooSlow)
      sockets.delete(socket)
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
        // node:http reads by itself once it flows; http2 takes the handle over and must not be resumed.
        socket.resume()
      }
    }
    socket.on('data', onData)
  })
  return { server, sockets }
}
