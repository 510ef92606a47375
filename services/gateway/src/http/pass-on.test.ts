import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { PassOn } from './pass-on.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const through = async (handle: RequestListener): Promise<string> => {
  const passOn = new PassOn('assets', [await serve(handle)])
  return serve((request, response) => void passOn.http(request, response))
}

test('an answer is passed on whole, with a part that was asked for', async () => {
  const url = await through((request, response) => {
    response.writeHead(206, { 'content-range': 'bytes 0-1/9' }).end(request.headers.range)
  })
  const response = await fetch(url, { headers: { range: 'bytes=0-1' } })
  expect([response.status, response.headers.get('content-range')]).toEqual([206, 'bytes 0-1/9'])
  expect(await response.text()).toBe('bytes=0-1')
})

test('an answer that breaks off is broken off, and nobody waits for the rest', async () => {
  const url = await through((_, response) => {
    response.writeHead(200, { 'content-length': 20 }).write('half of it')
    setImmediate(() => response.destroy())
  })
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow()
})
