import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import { connect, createServer as createHttp2Server, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { expect, test } from '@jest/globals'
import { closeSignal } from './close-signal.ts'

async function originOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('over HTTP/1, the signal is aborted when the client disconnects, and if the client has disconnected before', async () => {
  const requested: ServerResponse[] = []
  await using server = createServer((_, response) => requested.push(response))
  const request = get(await originOf(server)).on('error', () => undefined)
  await once(server, 'request')
  const [response] = requested
  if (!response) throw new Error('there was no request')
  const signal = closeSignal(response)
  expect(signal.aborted).toBe(false)
  request.destroy()
  await once(signal, 'abort')
  expect(closeSignal(response).aborted).toBe(true)
})

test('over HTTP/2, a reset stream aborts its own signal only', async () => {
  const requested: Http2ServerResponse[] = []
  const server = createHttp2Server((_, response) => requested.push(response))
  const session = connect(await originOf(server))
  const streams = [session.request(), session.request()]
  while (requested.length < 2) await once(server, 'request')
  const signals = requested.map(closeSignal)
  streams[0]?.on('error', () => undefined).close()
  await new Promise((resolve) => signals.forEach((one) => one.addEventListener('abort', resolve)))
  expect(signals.map(({ aborted }) => aborted).sort()).toEqual([false, true])
  expect(requested.map((one) => closeSignal(one).aborted).sort()).toEqual([false, true])
  session.destroy()
  await new Promise((resolve) => server.close(resolve))
})
