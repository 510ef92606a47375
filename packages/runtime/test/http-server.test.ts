import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { serveHttp } from '../src/http-server.ts'

const timeouts = { head: 50, request: 100, idle: 60_000 }
const connectAndSend = async (url: string, text: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test.each([
  ['its head', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
])('a client that never ends %s loses the connection', async (_, text) => {
  await using server = await serveHttp({ host: '127.0.0.1', port: 0, timeouts, handle: (request) => request.resume() })
  const socket = await connectAndSend(server.url, text)
  socket.resume()
  await once(socket, 'close')
  expect(socket.destroyed).toBe(true)
})

test('a client that does not read its response loses the connection', async () => {
  let gone: Promise<unknown> = Promise.resolve()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  await using server = await serveHttp({
    ...{ host: '127.0.0.1', port: 0, timeouts: { head: 60_000, request: 60_000, idle: 3_000 } },
    handle: (_, response) => {
      gone = once(response, 'close')
      response.write(Buffer.alloc(50_000_000))
      begin()
    },
  })
  const socket = await connectAndSend(server.url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.pause()
  await begun
  await gone
  socket.destroy()
  expect(socket.destroyed).toBe(true)
})
