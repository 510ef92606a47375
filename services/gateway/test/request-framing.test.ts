import { createServer, type Server } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server as RawServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { openEnv, type Env, type Gateway } from './_env.ts'
import { rawSocket, receive, sendRaw } from './_raw.ts'

const arrived: { method: string | undefined; url: string | undefined; body: string }[] = []
/**
 * Functions that send the responses to smuggled requests. They are called when more data arrives, so that such a
 * response would answer a later request.
 */
let release: (() => void)[] = []
/** Sends the response to the latest request for the slow path. */
let answerSlow: (() => void) | undefined

const upstream = createServer((request, response) => {
  if (request.url === '/webhooks/refused') return void response.writeHead(413, { connection: 'close' }).end()
  void text(request).then((body) => {
    const { method, url } = request
    arrived.push({ method, url, body })
    if (url?.includes('slow')) answerSlow = () => void response.end('slow')
    else if (url?.includes('smuggled')) release.push(() => void response.end('smuggled'))
    else response.end(url)
  })
})
upstream.on('clientError', (_, socket) => void socket.destroy())
upstream.on('connection', (socket) => socket.on('data', () => setImmediate(releaseAll)))

/**
 * Data of each connection to the realtime node. The node accepts upgrades with the query `welcome` and refuses others;
 * it never closes a connection.
 */
const upgrades: string[] = []
const realtime = createRawServer((socket) => {
  const index = upgrades.push('') - 1
  socket.on('error', () => undefined)
  socket.on('data', (data) => {
    const isAccepted = upgrades[index]?.startsWith('GET /api/realtime?welcome ')
    upgrades[index] += data.toString('latin1')
    if (isAccepted) socket.write(data)
    else if (upgrades[index]?.startsWith('GET /api/realtime?welcome '))
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nwelcome ')
    else socket.write('HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
  })
  sockets.add(socket)
})
const sockets = new Set<Socket>()

let env: Env
let gateway: Gateway
beforeAll(async () => {
  const [assetsUrl, realtimeUrl] = await Promise.all([listen(upstream), listen(realtime)])
  env = await openEnv()
  gateway = await env.start({
    PARLEY_GATEWAY_ASSETS_URLS: assetsUrl,
    PARLEY_GATEWAY_WEBHOOKS_URLS: assetsUrl,
    PARLEY_GATEWAY_REALTIME_URLS: realtimeUrl,
  })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  for (const socket of sockets) socket.destroy()
  upstream.closeAllConnections()
  for (const server of [upstream, realtime]) server.close()
})
beforeEach(() => {
  arrived.length = 0
  upgrades.length = 0
  release = []
  answerSlow = undefined
})

async function listen(server: Server | RawServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function releaseAll(): void {
  for (const answer of release.splice(0)) answer()
}

const inner = 'GET /internal/smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
const length = `Content-Length: ${inner.length}`
const chunked = 'Transfer-Encoding: chunked'

/** Requests on whose end parsers may disagree: name, headers, and the bytes after the headers. */
const attacks: [string, string[], string][] = [
  ['a chunked body', [chunked], chunk],
  ['a body of a given length', [length], inner],
  ['CL.TE', [length, chunked], `0\r\n\r\n${inner}`],
  ['TE.CL', [chunked, 'Content-Length: 3'], chunk],
  ['two lengths', ['Content-Length: 0', length], inner],
  ['the same length twice', [length, length], inner],
  ['a list of lengths', [`Content-Length: 0, ${inner.length}`], inner],
  ['a signed length', [`Content-Length: +${inner.length}`], inner],
  ['a hexadecimal length', [`Content-Length: 0x${inner.length.toString(16)}`], inner],
  ['an unknown coding', ['Transfer-Encoding: xchunked'], chunk],
  ['a coding before chunked', ['Transfer-Encoding: gzip, chunked'], chunk],
  ['chunked before another coding', ['Transfer-Encoding: chunked, identity'], chunk],
  ['chunked twice', [chunked, chunked], chunk],
  ['a coding in two headers', [chunked, 'Transfer-Encoding: identity'], chunk],
  ['CHUNKED', ['Transfer-Encoding: CHUNKED'], chunk],
  ['a space before the colon', ['Transfer-Encoding : chunked'], chunk],
  ['a control character', ['Transfer-Encoding: \x0bchunked'], chunk],
  ['obs-fold in the coding', ['Transfer-Encoding:\r\n chunked'], chunk],
  ['obs-fold in another header', ['X-Folded: a\r\n Transfer-Encoding: chunked'], chunk],
  ['obs-fold in the length', ['Content-Length:\r\n 0'], inner],
  ['a bare LF', [`X-Line: a\n${chunked}`], chunk],
  ['a bare CR', [`X-Line: a\r${chunked}`], chunk],
  ['a trailer', [chunked, 'Trailer: X-After'], `0\r\nX-After: 1\r\n\r\n${inner}`],
  ['a chunk extension with LF', [chunked], `2;\nxx\r\n4c\r\n${inner}0\r\n\r\n`],
  ['a chunk size too large', [chunked], `ffffffffffffffff1\r\n${inner}`],
  ['trailing bytes', ['Content-Length: 0'], inner],
  ['trailing bytes and no length', [], inner],
  ['headers named by Connection', ['Connection: Content-Length, Transfer-Encoding', length], inner],
  ['Expect', ['Expect: 100-continue', chunked], chunk],
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK']
const forwardedPaths: [string, string[]][] = [
  ['/assets/server/Anone', ['GET', 'HEAD']],
  ['/assets/files/Anone', ['GET', 'HEAD']],
  ['/webhooks/livekit', ['POST']],
]

const send = (method: string, path: string, [, headers, body]: (typeof attacks)[number], version = '1.1') =>
  sendRaw(gateway.url, `${[`${method} ${path} HTTP/${version}`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n${body}`)

/** Returns the response to a new request, which the gateway may forward over a reused connection. */
async function nextAnswer(): Promise<string> {
  const answer = await fetch(`${gateway.url}/assets/files/A-next`)
  return answer.text()
}

describe.each(forwardedPaths)('%s', (path, allowed) => {
  test.each(methods)('gateway and upstream servers agree on the end of a %s request', async (method) => {
    const wrong: string[] = []
    for (const version of ['1.1', '1.0'])
      for (const attack of attacks) {
        const [name] = attack
        const answer = await send(method, path, attack, version)
        if (!/^HTTP\/1\.1 \d{3} /.test(answer)) wrong.push(`${name}: answered with ${answer}`)
        const next = await nextAnswer()
        if (next !== '/assets/files/A-next') wrong.push(`${name}: the next request was answered with ${next}`)
        for (const { url, body, ...request } of arrived.splice(0)) {
          if (url === '/assets/files/A-next') continue
          if (url !== path || !allowed.includes(request.method ?? '') || (method !== 'POST' && body !== ''))
            wrong.push(`${name}: ${request.method} ${url} arrived with ${JSON.stringify(body)}`)
        }
      }
    expect(wrong).toEqual([])
  })

  test('pipelined requests are answered in order', async () => {
    const socket = await rawSocket(gateway.url)
    const [method] = allowed
    const requestLine = (n: number) => `${method} ${path}?${n} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`
    socket.write(requestLine(1) + requestLine(2) + requestLine(3))
    const answers = await receive(socket, (text) => text.includes(`${path}?3`))
    socket.destroy()
    expect(answers.match(/\?\d/g)).toEqual(['?1', '?2', '?3'])
  })
})

test.each(['/', '/healthz', '/api/server', '/login', '/oauth/consent/request', '/assets/files/Anone', '/chat/x'])(
  'a GET of %s with a body is refused, and what follows is not parsed',
  async (path) => {
    const socket = await rawSocket(gateway.url)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab${inner.replace('internal', 'assets')}`)
    const answer = await receive(socket, () => false)
    expect(answer.match(/HTTP\/1\.1 .*/g)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(answer).toMatch(/^connection: close$/im)
    expect(answer).toContain('a GET request must not have a body')
    await nextAnswer()
    expect(arrived.map(({ url }) => url)).toEqual(['/assets/files/A-next'])
  },
)

test('the connection ends after a response to an incomplete request', async () => {
  const socket = await rawSocket(gateway.url)
  socket.write('POST /webhooks/refused HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc')
  const answer = await receive(socket, () => false)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toMatch(/^connection: close$/im)
  expect(await nextAnswer()).toBe('/assets/files/A-next')
})

describe('an upgrade', () => {
  const offer = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const open = (path: string, extra: string[] = [], method = 'GET') =>
    `${[`${method} ${path} HTTP/1.1`, ...offer, ...extra].join('\r\n')}\r\n\r\n`

  test.each(methods)('with %s cannot smuggle a second request', async (method) => {
    for (const [name, headers, body] of attacks) {
      const answer = await sendRaw(gateway.url, open('/api/realtime', headers, method) + body)
      expect([name, answer]).toEqual([name, expect.stringMatching(/^HTTP\/1\.1 (?!200|101)/)])
      for (const heads of upgrades.splice(0)) {
        expect([name, heads.match(/ HTTP\/1\.1\r\n/g)]).toEqual([name, [' HTTP/1.1\r\n']])
        expect([name, heads]).toEqual([name, expect.stringMatching(/^GET \/api\/realtime [^]*\r\n\r\n$/)])
        expect([name, heads]).toEqual([name, expect.not.stringMatching(/content-length|transfer-encoding/i)])
      }
    }
  })

  test('that is refused gets the node’s response, and the connection ends', async () => {
    const socket = await rawSocket(gateway.url)
    socket.write(open('/api/realtime'))
    const answer = await receive(socket, () => false)
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
    expect(answer).toMatch(/^connection: close$/im)
    expect(answer).toMatch(/\r\n\r\n\{\}$/)
  })

  test('that is accepted forwards early bytes', async () => {
    const socket = await rawSocket(gateway.url)
    socket.write(`${open('/api/realtime?welcome')}early`)
    const answer = await receive(socket, (text) => text.endsWith('early'))
    expect(answer).toMatch(/^HTTP\/1\.1 101 [^]*\r\n\r\nwelcome early$/)
    socket.destroy()
  })

  test.each([
    ['a socket that is refused', '/api/realtime', 'websocket', /slowHTTP\/1\.1 403 [^]*\r\n\r\n\{\}$/],
    ['a socket that is accepted', '/api/realtime?welcome', 'websocket', /slowHTTP\/1\.1 101 [^]*\r\n\r\nwelcome $/],
    ['another protocol', '/assets/files/A1', 'h2c', /slowHTTP\/1\.1 200 [^]*\/assets\/files\/A1$/],
  ])('that follows an unanswered request waits until that is answered: %s', async (_, path, protocol, answers) => {
    const socket = await rawSocket(gateway.url)
    const offered = ['Host: x', 'Connection: Upgrade', `Upgrade: ${protocol}`, 'Sec-WebSocket-Version: 13']
    socket.write(`GET /assets/slow HTTP/1.1\r\nHost: x\r\n\r\nGET ${path} HTTP/1.1\r\n${offered.join('\r\n')}\r\n\r\n`)
    const received = receive(socket, (text) => answers.test(text))
    await eventually(() => expect(answerSlow).toBeDefined())
    expect([upgrades, arrived]).toEqual([[], [{ method: 'GET', url: '/assets/slow', body: '' }]])
    answerSlow?.()
    expect(await received).toMatch(answers)
    socket.destroy()
  })
})
