import { randomUUID } from 'node:crypto'
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { useEnv, type Gateway } from './_env.ts'
import { rawSocket, receive } from './_raw.ts'

const env = useEnv()
let gateway: Gateway
const sockets: Socket[] = []
const sessions: ClientHttp2Session[] = []

beforeAll(async () => {
  gateway = await env.start({ PARLEY_GATEWAY_HELD_BYTES_PER_ADDRESS: '1 MiB' })
})
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const session of sessions.splice(0)) session.destroy()
})

const getServer = 'svc.discovery.v1.ServerDiscoveryService/GetServer'
const getRoom = 'svc.api.v1.RoomDirectoryService/GetRoom'

async function send(bytes: string, url = gateway.url): Promise<Socket> {
  const socket = await rawSocket(url)
  sockets.push(socket)
  socket.write(bytes)
  return socket
}

const head = (method: string, length: number, ...headers: string[]) =>
  `${[`POST /api/connect/${method} HTTP/1.1`, 'Host: x', `Content-Length: ${length}`, ...headers].join('\r\n')}\r\n\r\n`
const json = 'Content-Type: application/json'
const isHead = (text: string): boolean => text.includes('\r\n\r\n')
const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])

describe('without a credential a call is refused before its body arrives', () => {
  test.each([
    ['JSON', json],
    ['protobuf', 'Content-Type: application/proto'],
  ])('in %s', async (_, type) => {
    const socket = await send(head(getRoom, 1_000_000, type) + 'x'.repeat(100_000))
    const answer = await receive(socket, isHead)
    expect(statusOf(answer)).toBe(401)
    expect(answer).toMatch(/^connection: close$/im)
  })

  test('in gRPC-Web', async () => {
    const socket = await send(`${head(getRoom, 1_000_000, 'Content-Type: application/grpc-web+proto')}\0\0\0\x0f\0`)
    expect(await receive(socket, isHead)).toMatch(/^grpc-status: 16$/im)
  })

  test.each([
    ['in gRPC', 'application/grpc', { 'grpc-status': '16', ':status': 200 }],
    ['in Connect over HTTP/2', 'application/json', { 'content-type': 'application/json', ':status': 401 }],
  ])('%s', async (_, type, refusal) => {
    const session = connectHttp2(gateway.url)
    sessions.push(session)
    const headers = { ':method': 'POST', ':path': `/${getRoom}`, 'content-type': type }
    const stream = session.request(headers, { endStream: false })
    stream.on('error', () => undefined)
    stream.write(Buffer.alloc(10_000))
    const answer = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
    expect(answer).toMatchObject(refusal)
  })

  test('and the client may still send the rest of its body', async () => {
    const body = 'x'.repeat(900_000)
    const socket = await send(head(getRoom, body.length, json))
    await receive(socket, isHead)
    let closed = false
    socket.once('close', () => (closed = true))
    await new Promise((resolve, reject) => socket.write(body, (error) => (error ? reject(error) : resolve(0))))
    expect(closed).toBe(false)
  })
})

test('a call that needs no credential must be short', async () => {
  const socket = await send(head(getServer, 65_537, json))
  expect(statusOf(await receive(socket, isHead))).toBe(429)
})

test('bodies sent by one network are limited, and release their bytes when their clients disconnect', async () => {
  const ask = () => send(head(getServer, 65_536, json) + ' '.repeat(65_000))
  const answers = Array.from({ length: 30 }, async () => statusOf(await receive(await ask(), isHead)))
  // 1 MiB allows 16 of them, which wait for the rest of their bodies.
  const refused: number[] = []
  for (const answer of answers) void answer.then((status) => refused.push(status))
  await eventually(() => expect(refused).toHaveLength(14))
  expect(new Set(refused)).toEqual(new Set([429]))
  for (const socket of sockets.splice(0)) socket.destroy()
  await eventually(async () => {
    const answer = await receive(await send(head(getServer, 2, json) + '{}'), isHead)
    expect(statusOf(answer)).toBe(200)
  })
})

describe('responses that a network does not read are limited', () => {
  const name = 'x'.repeat(200_000)
  const body = JSON.stringify({ roomId: name })
  const authorization = () => `Authorization: Bearer ${env.accounts.credential('Ualice')}`

  test('over HTTP/1.1', async () => {
    const call = head(getRoom, body.length, json, authorization()) + body
    const statusOfNext = async () => statusOf(await receive(await send(call), isHead))
    await eventually(async () => {
      // The operating system buffers a part of the responses, so it may take several sockets to exceed the limit.
      const socket = await send('')
      socket.pause()
      for (let n = 0; n < 20; n++) socket.write(call)
      expect(await statusOfNext()).toBe(429)
    })
    for (const socket of sockets.splice(0)) socket.destroy()
    await eventually(async () => expect(await statusOfNext()).toBe(200))
  })

  test('over HTTP/2', async () => {
    const session = connectHttp2(gateway.url)
    sessions.push(session)
    const message = Buffer.concat([Buffer.from([0x0a, 0xc0, 0x9a, 0x0c]), Buffer.from(name)])
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(message.length, 1)
    const ends = Array.from({ length: 20 }, () => {
      const headers = { ':method': 'POST', ':path': `/${getRoom}`, 'content-type': 'application/grpc' }
      const stream = session.request({ ...headers, authorization: authorization().slice(15) }, { endStream: false })
      stream.on('error', () => undefined)
      stream.end(Buffer.concat([prefix, message]))
      return new Promise<number>((resolve) => stream.once('close', () => resolve(stream.rstCode)))
    })
    expect(await Promise.race(ends)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  })
})

describe('a client that disconnects early occupies no image slot', () => {
  const method = 'svc.api.v1.MyAccountService/UploadAvatar'
  const protobuf = 'Content-Type: application/proto'
  const bearer = (token: string) => `Bearer ${token}`
  const overHttp1 = async (token: string) => {
    const socket = await send(head(method, 10, protobuf, `Authorization: ${bearer(token)}`))
    return () => socket.resetAndDestroy()
  }
  const overHttp2 = (token: string) => {
    const session = connectHttp2(gateway.url)
    sessions.push(session)
    const headers = { ':method': 'POST', ':path': `/${method}`, 'content-type': 'application/grpc' }
    const stream = session.request({ ...headers, authorization: bearer(token) }, { endStream: false })
    stream.on('error', () => undefined)
    return Promise.resolve(() => stream.close(constants.NGHTTP2_CANCEL))
  }

  test.each([
    ['HTTP/1.1', overHttp1],
    ['HTTP/2', overHttp2],
  ])('over %s', async (_, begin) => {
    for (const isKnown of [true, false]) {
      let answer = () => {}
      env.accounts.pause = new Promise((resolve) => (answer = resolve))
      const before = env.accounts.lookUps
      // As many as there are slots for images.
      const clients = await Promise.all(
        Array.from({ length: 4 }, () => begin(isKnown ? env.accounts.credential('Ualice') : randomUUID())),
      )
      await eventually(() => env.accounts.lookUps === before + clients.length)
      for (const disconnect of clients) disconnect()
      // Three responses later, the gateway has noticed that the clients are disconnected.
      for (let n = 0; n < 3; n++) await fetch(`${gateway.url}/healthz`)
      answer()
    }
    const upload = head(method, 0, protobuf, `Authorization: ${bearer(env.accounts.credential('Ualice'))}`)
    // 501, because the stand-in for accounts has no UploadAvatar; without a free slot the status would be 429.
    expect(statusOf(await receive(await send(upload), isHead))).toBe(501)
  })
})

test('files that a network does not read are limited', async () => {
  let cutOff = 0
  const endless = function* () {
    for (const chunk = Buffer.alloc(65_536); ;) yield chunk
  }
  const uploads = createServer((request, response) => {
    if (request.url === '/assets/server/short') return void response.end('short')
    response.once('close', () => cutOff++)
    // The file is endless, because the system buffers much unread data.
    Readable.from(endless()).pipe(response)
  }).listen(0, '127.0.0.1')
  await once(uploads, 'listening')
  const { port } = uploads.address() as AddressInfo
  const { url } = await env.start({
    PARLEY_GATEWAY_ASSETS_URLS: `http://127.0.0.1:${port}`,
    PARLEY_GATEWAY_HELD_BYTES_PER_ADDRESS: '1 MiB',
  })
  const ask = 'GET /assets/server/x HTTP/1.1\r\nHost: x\r\n\r\n'
  for (let n = 0; n < 8; n++) (await send(ask, url)).pause()
  // 1 MiB allows five of them.
  await eventually(() => expect(cutOff).toBe(3))
  for (const socket of sockets.splice(0)) socket.destroy()
  expect(await (await fetch(`${url}/assets/server/short`)).text()).toBe('short')
  uploads.closeAllConnections()
  uploads.close()
})

test('headers that HTTP/2 compresses are limited by their expanded size', async () => {
  const ask = (session: ClientHttp2Session, bytes: number) => {
    const headers = { ':method': 'POST', ':path': `/${getServer}`, 'content-type': 'application/grpc' }
    const stream = session.request({ ...headers, 'x-much': 'x'.repeat(bytes) }, { endStream: false })
    stream.on('error', () => undefined)
    return new Promise<number>((resolve) => stream.once('close', () => resolve(stream.rstCode)))
  }
  const session = connectHttp2(gateway.url)
  sessions.push(session)
  await once(session, 'remoteSettings')
  expect(session.remoteSettings.maxHeaderListSize).toBe(16_384)
  // Only headers are sent, so the calls stay open. Those of seventy calls take more than 1 MiB.
  const ends = Array.from({ length: 90 }, () => ask(session, 15_000))
  expect(await Promise.race(ends)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
})

test('a network has a limited number of connections', async () => {
  const { url } = await env.start({ PARLEY_GATEWAY_CONNECTIONS_PER_ADDRESS: '3' })
  const isAnswered = async () => statusOf(await receive(await send(call, url), isHead)) === 200
  const call = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  // The connection over which the environment requested readiness may still be open, so the limit may be reached early.
  const answered = [await isAnswered(), await isAnswered(), await isAnswered(), await isAnswered()]
  expect([answered[0], answered[3]]).toEqual([true, false])
})
