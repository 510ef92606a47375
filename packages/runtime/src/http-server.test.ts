import { once } from 'node:events'
import { get } from 'node:http'
import { expect, test } from '@jest/globals'
import { serveHttp } from './http-server.ts'

test('disposing a server closes the connections of requests that outlast the drain timeout', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handle: () => begin(),
    timeouts: { head: 600_000, request: 600_000, idle: 0 },
    drainTimeoutMs: 10,
  })
  const failed = once(get(server.url), 'error')
  await begun
  await server[Symbol.asyncDispose]()
  expect(await failed).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
})
