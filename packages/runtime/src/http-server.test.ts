import { once } from 'node:events'
import { get } from 'node:http'
import { expect, test } from '@jest/globals'
import { serveHttp } from './http-server.ts'

test('a server that is disposed closes the connections of running requests when the signal is aborted', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const late = new AbortController()
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    handle: () => begin(),
    timeouts: { head: 600_000, request: 600_000, idle: 0 },
    signal: late.signal,
  })
  const failed = once(get(server.url), 'error')
  await begun
  const closed = server[Symbol.asyncDispose]()
  late.abort()
  await closed
  expect(await failed).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
})
