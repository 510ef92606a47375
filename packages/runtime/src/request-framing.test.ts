import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { serveHttp, type HttpServer } from './http-server.ts'

const handled: string[] = []
/** Resolves when the request for `/slow` has arrived, with a function that answers it. */
let slow: Promise<() => void>
let slowArrived: (answer: () => void) => void
let server: HttpServer
beforeAll(async () => {
  server = await serveHttp({
    ...{ host: '127.0.0.1', port: 0 },
    handle: (request, response) => {
      void text(request).then((body) => {
        handled.push(`${request.method} ${request.url} ${body}`)
        if (request.url === '/slow') slowArrived(() => response.end('slow'))
        else response.end('done')
      })
    },
  })
})
afterAll(async () => server[Symbol.asyncDispose]())
beforeEach(() => {
  handled.length = 0
  slow = new Promise((resolve) => (slowArrived = resolve))
})

async function send(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(bytes)
  return text(socket)
}

const chunked = 'Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n'
const next = 'GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

test.each([
  ...[
    ...['GET', 'HEAD', 'OPTIONS'].map((method) => ['400', method] as const),
    ...['PUT', 'PATCH', 'DELETE', 'TRACE'].map((method) => ['405', method] as const),
  ].flatMap(([status, method]) => [
    [status, `${method} / HTTP/1.1\r\nHost: x\r\n${chunked}`],
    [status, `${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab`],
    [status, `${method} / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab`],
  ]),
  ['400', `POST / HTTP/1.0\r\n${chunked}`],
  ['501', `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`],
  ['400', `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${chunked}`],
])('%s is the answer to %j, and the connection ends', async (status, request) => {
  const answer = await send(request + next)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nconnection: close\r\n`, 'i'))
  expect(answer).not.toMatch(/ 200 |100 Continue/)
  expect(handled).toEqual([])
})

test.each([
  [`POST / HTTP/1.1\r\nHost: x\r\n${chunked}`, 'POST / ab'],
  ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab', 'POST / ab'],
  ['GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n', 'GET / '],
  ['POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab', 'POST / ab'],
])('%j is accepted, and what follows is a separate request', async (request, first) => {
  await send(request + next)
  expect(handled.toSorted()).toEqual(['GET /next ', first].toSorted())
})

const requestSlowly = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'

test('a request is not handled before the previous one of its connection is answered', async () => {
  const answers = send(requestSlowly + next)
  const answer = await slow
  await send(next)
  expect(handled).toEqual(['GET /slow ', 'GET /next '])
  answer()
  expect((await answers).match(/slow|done/g)).toEqual(['slow', 'done'])
  expect(handled).toEqual(['GET /slow ', 'GET /next ', 'GET /next '])
})

test('a connection on which too many requests wait is closed', async () => {
  expect(await send(requestSlowly.repeat(6))).toBe('')
  expect(handled).toEqual(['GET /slow '])
})

test('an unsupported expectation ends the connection', async () => {
  const answer = await send(`POST / HTTP/1.1\r\nHost: x\r\nExpect: luck\r\nContent-Length: 2\r\n\r\nab${next}`)
  expect(answer.match(/HTTP\/1.1 .*|connection: close/gi)).toEqual([
    'HTTP/1.1 417 Expectation Failed',
    'connection: close',
  ])
  expect(handled).toEqual([])
})
