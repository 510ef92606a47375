import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { isForwardedByGateway } from '@parley/credentials'
import { WebSocket, WebSocketServer } from 'ws'
import { secretKey } from './_accounts.ts'
import { openEnv, type Env, type Gateway } from './_env.ts'

const received: IncomingMessage[] = []
const target = createServer((request, response) => {
  received.push(request)
  response.writeHead(207, { 'x-from': 'behind' }).end('behind')
})
const sockets = new WebSocketServer({ server: target })
sockets.on('connection', (socket, request) => {
  received.push(request)
  socket.on('message', (data) => socket.send(data))
})

let env: Env
let gateway: Gateway
beforeAll(async () => {
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const address = target.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  env = await openEnv()
  gateway = await env.start({
    PARLEY_GATEWAY_ASSETS_URLS: url,
    PARLEY_GATEWAY_WEBHOOKS_URLS: url,
    // The first server does not exist, so the next one is tried.
    PARLEY_GATEWAY_REALTIME_URLS: `http://127.0.0.1:1,${url}`,
  })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  for (const client of sockets.clients) client.terminate()
  await new Promise((resolve) => target.close(resolve))
})
beforeEach(() => void (received.length = 0))

test.each([
  ['GET', '/assets/files/A1?access=t', undefined],
  ['POST', '/webhooks/livekit', 'hello'],
])(
  '%s %s is forwarded with its authorization, without the parley- headers of the client',
  async (method, path, body) => {
    const headers = { authorization: 'Bearer t', 'parley-caller': 'x', 'Parley-Signature': 'y', connection: 'close' }
    const response = await fetch(gateway.url + path, { method, headers, ...(body !== undefined && { body }) })
    expect([response.status, response.headers.get('x-from'), await response.text()]).toEqual([207, 'behind', 'behind'])
    const [request] = received
    expect([request?.method, request?.url, request?.headers.authorization]).toEqual([method, path, 'Bearer t'])
    const ours = Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('parley-'))
    expect(ours).toEqual(['parley-forwarded-for-proof'])
  },
)

test.each(['http', 'websocket'])('only the gateway states the address of the client (%s)', async (kind) => {
  const headers = {
    ...{ 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6', 'x-real-ip': '6.6.6.6' },
    'parley-forwarded-for-proof': 'made up',
  }
  if (kind === 'http') await fetch(`${gateway.url}/assets/files/A1`, { headers })
  else {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/realtime`, { headers })
    await new Promise((resolve) => socket.once('open', resolve))
    socket.terminate()
  }
  const [requested] = received
  expect([
    requested?.headers['x-forwarded-for'],
    requested?.headers.forwarded,
    requested?.headers['x-real-ip'],
  ]).toEqual([...['127.0.0.1', undefined, undefined]])
  const header = (name: string) => requested?.headers[name]?.toString()
  expect(isForwardedByGateway({ secretKey }, header)).toBe(true)
})

test.each([
  ['POST', '/assets/files/A1', 'GET, HEAD'],
  ['GET', '/webhooks/livekit', 'POST'],
])('%s %s is answered with the allowed methods', async (method, path, allow) => {
  const response = await fetch(gateway.url + path, { method })
  expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
  expect(received).toEqual([])
})

test('the upstream server does not decide whether the connection to the client stays open', async () => {
  const { hostname, port } = new URL(gateway.url)
  const client = connect(Number(port), hostname)
  client.write('GET /assets/files/A1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const answer = await text(client)
  expect(answer).toMatch(/^HTTP\/1\.1 207 /)
  expect(answer).toMatch(/^connection: close$/im)
  expect(answer).not.toMatch(/keep-alive/i)
})

test('a socket is forwarded to the next node if one is down', async () => {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/realtime`)
  const echoed = new Promise<string>((resolve) => socket.once('message', (data: Buffer) => resolve(data.toString())))
  await new Promise((resolve) => socket.once('open', resolve))
  socket.send('hello')
  expect(await echoed).toBe('hello')
  socket.terminate()
})

test('a request for the socket without an upgrade gets instructions', async () => {
  const response = await fetch(`${gateway.url}/api/realtime`)
  expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket'])
  expect(await response.json()).toEqual({ error: expect.stringContaining('Upgrade: websocket') })
  expect(received).toEqual([])
})

test.each(['/api/realtime/../internal', '/api/realtime%2f', '/internal', '/assets/x'])(
  'a socket for %s is not forwarded',
  async (path) => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}${path}`)
    await new Promise((resolve) => socket.once('error', resolve))
    expect(received.filter(({ headers }) => headers.upgrade !== undefined)).toEqual([])
  },
)
