import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { WebSocketProxy } from './websocket-proxy.ts'
import { servePublicPort, type PublicPort } from './server.ts'

const ports: PublicPort[] = []
afterEach(async () => {
  for (const port of ports.splice(0)) await port.drain(100)
})

type Dispatch = Parameters<typeof servePublicPort>[0]['dispatch']
const longTimeouts = { head: 60_000, request: 60_000, idle: 60_000 }

async function serve(
  dispatch: Partial<Dispatch>,
  timeouts: Partial<typeof longTimeouts>,
  perNetwork = 0,
): Promise<number> {
  const port = await servePublicPort({
    ...{
      host: '127.0.0.1',
      port: 0,
      realtime: new WebSocketProxy([], () => ({})),
      timeouts: { ...longTimeouts, ...timeouts },
    },
    dispatch: { http1: (request) => void request.resume(), http2: () => undefined, ...dispatch },
    connections: { perNetwork, isProxy: () => false },
  })
  ports.push(port)
  return port.port
}

async function connectAndSend(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test.each([
  ['its head', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
  ['its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
])('a client that never completes %s is disconnected', async (_, text) => {
  const socket = await connectAndSend(await serve({}, { head: 50, request: 100 }), text)
  socket.resume()
  await once(socket, 'close')
  expect(socket.destroyed).toBe(true)
})

test('a client that does not read a response is disconnected', async () => {
  let gone: Promise<unknown> = Promise.resolve()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const http1: Dispatch['http1'] = (_, response) => {
    gone = once(response, 'close')
    response.end(Buffer.alloc(50_000_000))
    begin()
  }
  const socket = await connectAndSend(await serve({ http1 }, { idle: 300 }), 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  socket.pause()
  await begun
  await gone
  socket.destroy()
})

test('a client that does not read a response over HTTP/2 is disconnected', async () => {
  const http2: Dispatch['http2'] = (_, response) => response.end(Buffer.alloc(5_000_000))
  const session = connectHttp2(`http://127.0.0.1:${await serve({ http2 }, { idle: 300 })}`)
  session.on('error', () => undefined)
  const stream = session.request({ ':path': '/' })
  stream.on('error', () => undefined).pause()
  await once(session, 'close')
  expect(session.destroyed).toBe(true)
})

describe('over HTTP/2', () => {
  const frame = (type: number, stream: number, payload: readonly number[] = []) =>
    Buffer.from([0, 0, payload.length, type, type === 1 ? 4 : 0, 0, 0, 0, stream, ...payload])
  const [settings, goaway] = [frame(4, 0), (code: number) => frame(7, 0, [0, 0, 0, 0, 0, 0, 0, code])]
  // POST http://x/ with the start of a body.
  const request = (stream: number) => [frame(1, stream, [0x83, 0x86, 0x84, 1, 1, 0x78]), frame(0, stream, [1, 2, 3])]
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

  const expecting = frame(1, 1, [0x83, 0x86, 0x84, 1, 1, 0x78, 0x0f, 0x14, 12, ...Buffer.from('100-continue')])
  const reset = frame(3, 1, [0, 0, 0, 8])

  test.each([
    ['a GOAWAY with an error before a request', [goaway(2), ...request(1)]],
    ['a GOAWAY with an error between two requests', [...request(1), goaway(2), ...request(3)]],
    ['a GOAWAY without an error between two requests', [...request(1), goaway(0), ...request(3)]],
    ['a reset request with Expect: 100-continue', [expecting, reset]],
  ])('%s affects only its own connection', async (_, frames) => {
    const port = await serve({ http2: (_request, response) => void response.end('answer') }, {})
    const leaving = await connectAndSend(port, '')
    leaving.resume().write(Buffer.concat([preface, settings, ...frames]))
    leaving.end()
    await once(leaving, 'close')
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    expect(await text(session.request({ ':path': '/' }))).toBe('answer')
    session.destroy()
  })
})

test('a network has a limited number of connections', async () => {
  const port = await serve({ http1: (_, response) => void response.end('served') }, {}, 2)
  const open = async () => {
    const socket = await connectAndSend(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const answered = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
    return { socket, answered }
  }
  const [first, second, third] = [await open(), await open(), await open()]
  expect([first.answered, second.answered, third.answered]).toEqual([true, true, false])
  first.socket.destroy()
  let next = await open()
  while (!next.answered) next = await open()
  for (const socket of [second.socket, next.socket]) socket.destroy()
})

test('a drain closes the remaining connections at its deadline', async () => {
  let now = Date.now()
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now)
  const timers = jest.spyOn(globalThis, 'setTimeout')
  try {
    const realtime = new WebSocketProxy([], () => ({}))
    jest.spyOn(realtime, 'drain').mockImplementation(async (windowMs) => void (now += windowMs))
    const port = await servePublicPort({
      ...{ host: '127.0.0.1', port: 0, realtime, timeouts: longTimeouts },
      dispatch: { http1: (request) => void request.resume(), http2: () => undefined },
      connections: { perNetwork: 0, isProxy: () => false },
    })
    const socket = await connectAndSend(port.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    timers.mockClear()
    await port.drain(300)
    expect(timers.mock.calls.map(([, delayMs]) => delayMs)).toContain(200)
    socket.destroy()
  } finally {
    clock.mockRestore()
    timers.mockRestore()
  }
})
