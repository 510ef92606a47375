import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Resolve } from '@parley/outbound'
import { safeFetch } from './safe-fetch.ts'

const outside = '127.0.0.2'
const inside = '127.0.0.1'
const wanted = { callerId: 'Ualice', accept: '*/*', maxBytes: 1_000, ifTooLong: 'refuse' } as const
const signal = new AbortController().signal

const servers: Server[] = []
let port = 0
let reached: string[] = []

async function serve(host: string): Promise<void> {
  const server = createServer((request, response) => {
    reached.push(host)
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
    if (request.url === '/switch') response.writeHead(101, { connection: 'upgrade', upgrade: 'other' }).end()
    else if (to === null) response.end('hello')
    else response.writeHead(302, { location: to }).end()
  }).listen(port, host)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  servers.push(server)
}

const close = () =>
  Promise.all(servers.splice(0).map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))

beforeAll(async () => {
  for (let tries = 1; servers.length < 2; tries++)
    try {
      port = 0
      await serve(outside)
      await serve(inside)
    } catch (error) {
      await close()
      if (tries === 20) throw error
    }
})
beforeEach(() => {
  reached = []
})
afterAll(close)

/** Each look-up of a name returns the next list of addresses. */
const fetchUrl = (url: string, ...answers: string[][]) => {
  const resolve: Resolve = () => Promise.resolve((answers.shift() ?? []).map((address) => ({ address, family: 4 })))
  return safeFetch({ isAllowed: (address) => address === outside, resolve })(url, wanted, signal)
}
const expectRefused = (call: Promise<unknown>, reason: string) => expect(call).rejects.toMatchObject({ reason })

test('an allowed address is contacted, by name or directly', async () => {
  for (const host of [outside, 'page.example.org'])
    expect((await fetchUrl(`http://${host}:${port}/`, [outside])).bytes.toString()).toBe('hello')
})

test('a switch of protocols is not accepted as a response', async () => {
  await expect(fetchUrl(`http://${outside}:${port}/switch`)).rejects.toThrow('without a response')
})

test('a private address is not contacted, by name, directly or after a redirect', async () => {
  await expectRefused(fetchUrl(`http://${inside}:${port}/`), 'private')
  await expectRefused(fetchUrl(`http://page.example.org:${port}/`, [inside]), 'private')
  const to = (location: string) => `http://page.example.org:${port}/?to=${encodeURIComponent(location)}`
  await expectRefused(fetchUrl(to(`http://${inside}:${port}/`), [outside]), 'private')
  await expectRefused(fetchUrl(to(`http://inner.example.org:${port}/`), [outside], [inside]), 'private')
  await expectRefused(fetchUrl(to('file:///etc/passwd'), [outside]), 'url')
  expect(reached).not.toContain(inside)
})

test('a name with any private address is not contacted', async () => {
  await expectRefused(fetchUrl(`http://page.example.org:${port}/`, [outside, inside]), 'private')
  expect(reached).toEqual([])
})

test('the connection uses the checked address, even if the name resolves to another one later', async () => {
  const { bytes } = await fetchUrl(`http://page.example.org:${port}/`, [outside], [inside])
  expect(bytes.toString()).toBe('hello')
  expect(reached).toEqual([outside])
  const again = `http://page.example.org:${port}/?to=${encodeURIComponent(`http://page.example.org:${port}/`)}`
  await expectRefused(fetchUrl(again, [outside], [inside]), 'private')
  expect(reached).toEqual([outside, outside])
})

test('a request that takes too long fails', async () => {
  const unresponsive = createServer(() => undefined).listen(0, outside)
  await once(unresponsive, 'listening')
  const url = `http://${outside}:${(unresponsive.address() as AddressInfo).port}/`
  const network = { isAllowed: () => true, resolve: () => Promise.resolve([]) }
  await expect(safeFetch(network)(url, { ...wanted, timeoutMs: 50 }, signal)).rejects.toThrow()
  unresponsive.closeAllConnections()
  await new Promise((resolve) => unresponsive.close(resolve))
})
