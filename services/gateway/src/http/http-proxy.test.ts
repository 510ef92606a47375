import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { HttpProxy } from './http-proxy.ts'

const servers: Server[] = []
const proxies: HttpProxy[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) server.close()
  for (const proxy of proxies.splice(0)) await proxy[Symbol.asyncDispose]()
})

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const describeClient = () => ({ 'x-forwarded-for': '198.51.100.1' })

const proxyTo = async (handle: RequestListener): Promise<string> => {
  const proxy = new HttpProxy({
    what: 'assets',
    targets: [await serve(handle)],
    methods: ['GET', 'POST'],
    describeClient,
  })
  proxies.push(proxy)
  return serve((request, response) => void proxy.handle(request, response))
}

test('a range request is forwarded, and so is the partial response', async () => {
  const url = await proxyTo((request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-1/9' }).end(request.headers.range)
  })
  const response = await fetch(url, { headers: { range: 'bytes=0-1' } })
  expect([response.status, response.headers.get('content-range')]).toEqual([206, 'bytes 0-1/9'])
  expect(await response.text()).toBe('bytes=0-1')
})

test('an incomplete response is not mistaken for a complete one', async () => {
  const url = await proxyTo((_, response) => {
    response.writeHead(200, { 'content-length': 20 }).write('half of it')
    void setImmediate().then(() => response.destroy())
  })
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
})

test('hop-by-hop headers are not forwarded in either direction', async () => {
  let requested: IncomingHttpHeaders = {}
  const url = await proxyTo((request, response) => {
    requested = request.headers
    response.writeHead(200, { connection: 'x-hop', 'x-hop': '1', 'x-end': '1', te: 'trailers' }).end()
  })
  const headers = { connection: 'x-mine', 'x-mine': '1', te: 'trailers', expect: '100-continue', 'x-kept': '1' }
  const request = httpRequest(url, { headers }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.resume()
  expect([requested['x-mine'], requested.te, requested.expect, requested['x-kept']]).toEqual([
    undefined,
    undefined,
    undefined,
    '1',
  ])
  expect([answer.headers['x-hop'], answer.headers.te, answer.headers['x-end']]).toEqual([undefined, undefined, '1'])
  request.destroy()
})

test('less than half of a large response is read ahead of a slow client', async () => {
  const size = 100_000_000
  let sent = 0
  const url = await proxyTo((_, response) => {
    const bytes = function* () {
      for (const chunk = Buffer.alloc(100_000); sent < size; sent += chunk.length) yield chunk
    }
    Readable.from(bytes()).pipe(response)
  })
  const request = httpRequest(url).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  let received = 0
  let furthestAhead = 0
  for await (const data of answer) {
    received += (data as Buffer).length
    furthestAhead = Math.max(furthestAhead, sent - received)
    // Lets the server write several times for each read of the client.
    for (let turn = 0; turn < 5; turn++) await setImmediate()
  }
  expect(received).toBe(size)
  expect(furthestAhead).toBeLessThan(size / 2)
})

test.each(['before an answer', 'during an answer'])(
  'a client that disconnects %s ends its forwarded request',
  async (when) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    let ended: Promise<unknown> = Promise.resolve()
    const url = await proxyTo((_, response) => {
      ended = once(response, 'close')
      if (when === 'during an answer') response.write('some of it')
      begin()
    })
    const request = httpRequest(url).on('error', () => undefined)
    request.end()
    await begun
    if (when === 'during an answer') await once(request, 'response')
    request.destroy()
    await ended
  },
)

test('a client that disconnects also ends its waiting second request', async () => {
  const ended: Promise<unknown>[] = []
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const url = new URL(
    await proxyTo((_, response) => {
      if (ended.push(once(response, 'close')) === 2) begin()
    }),
  )
  const client = connect(Number(url.port), url.hostname)
  client.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n')
  await begun
  client.destroy()
  expect(await Promise.all(ended)).toHaveLength(2)
})

test.each([
  ['a length', { 'content-length': 4_000_000 }],
  ['chunks', { 'transfer-encoding': 'chunked' }],
])('a body sent with %s is forwarded whole, in the same form', async (_, headers) => {
  let length = 0
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const url = await proxyTo((request, response) => {
    request.on('data', (data: Buffer) => {
      length += data.length
      begin()
    })
    request.on('end', () => response.end(request.headers['content-length'] ?? request.headers['transfer-encoding']))
  })
  const request = httpRequest(url, { method: 'POST', headers })
  request.write(Buffer.alloc(2_000_000))
  await begun
  request.end(Buffer.alloc(2_000_000))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect(await text(answer)).toBe(String(Object.values(headers)[0]))
  expect(length).toBe(4_000_000)
})

test('an incomplete body is not mistaken for a complete one', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  let broken: Promise<unknown> = Promise.resolve()
  const url = await proxyTo((request) => {
    broken = once(request, 'end').then(
      () => 'whole',
      () => 'incomplete',
    )
    request.on('data', begin)
  })
  const request = httpRequest(url, { method: 'POST', headers: { 'content-length': 10 } }).on('error', () => undefined)
  request.write('abc')
  await begun
  request.destroy()
  expect(await broken).toBe('incomplete')
})

test('without a reachable server the response has status 503 and says to try again', async () => {
  const proxy = new HttpProxy({ what: 'assets', targets: ['http://127.0.0.1:1'], methods: ['GET'], describeClient })
  proxies.push(proxy)
  const response = await fetch(await serve((request, answer) => void proxy.handle(request, answer)))
  expect([response.status, await response.json()]).toEqual([503, { error: 'assets is not available; try again' }])
})

describe('with several servers', () => {
  const proxyToAny = async (targets: string[], firstByteMs?: number): Promise<string> => {
    const options = firstByteMs === undefined ? {} : { firstByteMs }
    const proxy = new HttpProxy({ what: 'assets', targets, methods: ['GET', 'POST'], describeClient, ...options })
    proxies.push(proxy)
    return serve((request, response) => void proxy.handle(request, response))
  }
  const unreachable = 'http://127.0.0.1:1'
  const read = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    return [response.status, await response.text()]
  }

  test('a dead server is skipped, even for a request with a body', async () => {
    const url = await proxyToAny([unreachable, await serve((request, response) => void request.pipe(response))])
    for (let n = 0; n < 4; n++) expect(await read(url)).toEqual([200, ''])
    for (let n = 0; n < 4; n++) expect(await read(url, { method: 'POST', body: 'x' })).toEqual([200, 'x'])
  })

  test('a frozen server is tried once, and then avoided', async () => {
    let requested = 0
    const frozen = await serve(() => requested++)
    const url = await proxyToAny([frozen, await serve((_, response) => response.end('here'))], 1_000)
    for (let n = 0; n < 6; n++) expect(await read(url)).toEqual([200, 'here'])
    expect(requested).toBe(1)
  })

  test('if a server dies, a POST is not repeated and a GET goes to the next server', async () => {
    let posts = 0
    const breaking = (request: IncomingMessage) => {
      if (request.method === 'POST') posts++
      request.socket.destroy()
    }
    const targets = [await serve(breaking), await serve(breaking)]
    const url = await proxyToAny([...targets, await serve((_, response) => response.end('here'))])
    expect(await read(url)).toEqual([200, 'here'])
    const other = await proxyToAny(targets)
    expect((await read(other, { method: 'POST', body: 'x' }))[0]).toBe(503)
    expect(posts).toBe(1)
  })
})
