import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import fc from 'fast-check'
import { openEnv, type Env, type Gateway } from './_env.ts'
import { conversation, type Conversation } from './_odd-requests.ts'
import { rawSocket } from './_raw.ts'

const flood = { runs: 400, atOnce: 25 }

let env: Env
let gateway: Gateway
const servers: Server[] = []

beforeAll(async () => {
  const upstream = createServer((request, response) => {
    request.resume().once('end', () => response.end('upstream'))
  })
  const realtime = createRawServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}'))
  })
  const [assets, nodes] = await Promise.all([listen(upstream), listen(realtime)])
  env = await openEnv()
  gateway = await env.start({
    PARLEY_GATEWAY_ASSETS_URLS: assets,
    PARLEY_GATEWAY_WEBHOOKS_URLS: assets,
    PARLEY_GATEWAY_REALTIME_URLS: nodes,
    PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '0',
  })
})
afterAll(async () => {
  await env[Symbol.asyncDispose]()
  for (const server of servers) server.close()
})

async function listen(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function talk({ pieces, leaving }: Conversation): Promise<string> {
  const socket = await rawSocket(gateway.url)
  let answered = ''
  socket.on('data', (data: Buffer) => (answered += data.toString('latin1')))
  const closed = once(socket, 'close')
  for (const piece of pieces) if (!socket.destroyed) await writePiece(socket, piece)
  // A client may wait for a response, but no longer than two ordinary calls take.
  if (leaving === 'answered') await Promise.race([once(socket, 'data'), closed, serverInfo().then(serverInfo)])
  if (leaving === 'half-close') socket.end()
  else if (leaving === 'reset') socket.resetAndDestroy()
  else socket.destroy()
  await closed
  return answered
}

async function serverInfo(): Promise<number> {
  const method = 'svc.discovery.v1.ServerDiscoveryService/GetServer'
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}/api/connect/${method}`, { method: 'POST', headers, body: '{}' })
  await answer.arrayBuffer()
  return answer.status
}

const writePiece = (socket: Socket, piece: Buffer): Promise<void> =>
  new Promise((resolve) => void socket.write(piece, () => setImmediate(resolve)))

test('the gateway survives thousands of odd requests, and never responds with 500', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(conversation, { minLength: flood.atOnce, maxLength: flood.atOnce }),
      async (conversations) => {
        const answers = await Promise.all(conversations.map(talk))
        for (const answer of answers) {
          expect(answer).toMatch(/^$|^HTTP\/1\.1 \d{3} /)
          expect(answer).not.toMatch(/^HTTP\/1\.1 500 /m)
        }
        expect(await serverInfo()).toBe(200)
      },
    ),
    { numRuns: flood.runs },
  )
  await eventually(async () => expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200))
}, 480_000)
