import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { lastErrors } from '@parley/telemetry'
import { Host } from './host.ts'

const config = {
  ...{ internalHost: '127.0.0.1', internalPort: 0, drainTimeoutMs: 3_600_000 },
  ...{ natsUrl: 'nats://127.0.0.1:1', natsUser: undefined, natsPassword: undefined },
}

/** A host and the controller of its `stop`. */
function newHost(drainTimeoutMs = config.drainTimeoutMs) {
  const stop = new AbortController()
  const host = new Host({ name: 'rooms', config, drainTimeoutMs, overrides: { stop: stop.signal } })
  return { host, stop }
}

test('a stop before anything is served aborts the signal at once, and nothing is served any more', async () => {
  const { host, stop } = newHost()
  stop.abort(new Error('stopped'))
  expect(host.signal.reason).toEqual(new Error('stopped'))
  const serving = host.serveHttp({ host: '127.0.0.1', port: 0, handle: () => undefined })
  await expect(serving).rejects.toThrow('stopped')
  expect(new Host({ name: 'rooms', config, overrides: { stop: stop.signal } }).signal.aborted).toBe(true)
})

test('the signal is aborted after the servers have closed, even if a stop was requested before', async () => {
  const { host, stop } = newHost()
  const seen: [string, boolean][] = []
  const note = (when: string) => void seen.push([when, host.signal.aborted])
  host.defer('a resource', () => note('resources close'))
  host.onDrain('an earlier server', () => note('the last server closes'))
  const server = await host.serveHttp({
    ...{ host: '127.0.0.1', port: 0 },
    handle: (_, response) => {
      stop.abort()
      note('a request runs')
      void service[Symbol.asyncDispose]().then(closed)
      setImmediate(() => {
        note('servers drain')
        response.end()
      })
    },
  })
  const service = host.service()
  const { promise: closing, resolve: closed } = Promise.withResolvers<void>()
  const call = request(server.url, { agent: false }).end()
  const [response] = (await once(call, 'response')) as [NodeJS.ReadableStream]
  response.resume()
  await closing
  expect(seen).toEqual([
    ['a request runs', false],
    ['servers drain', false],
    ['the last server closes', false],
    ['resources close', true],
  ])
})

test('periodic tasks run while servers drain', async () => {
  const { host, stop } = newHost()
  const { promise: ran, resolve: run } = Promise.withResolvers<void>()
  const task = host.every({ name: 'test', everyMs: 3_600_000, run: () => run() })
  host.onDrain('a server', async () => {
    task.wake()
    await ran
  })
  stop.abort()
  await host[Symbol.asyncDispose]()
})

test('after the drain timeout a stop aborts the signal although a server is still closing', async () => {
  const { host, stop } = newHost(1)
  host.onDrain('a server', async () => void (await once(host.signal, 'abort')))
  stop.abort()
  await host[Symbol.asyncDispose]()
})

test('after the drain timeout a stop cuts the requests that are still running', async () => {
  const { host, stop } = newHost(1)
  const server = await host.serveHttp({
    ...{ host: '127.0.0.1', port: 0 },
    handle: (_, response) => void response.write('the beginning'),
  })
  const service = host.service()
  const call = request(server.url, { agent: false }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const cut = once(response, 'error')
  response.resume()
  stop.abort()
  await service[Symbol.asyncDispose]()
  expect(await cut).toMatchObject([{ code: 'ECONNRESET' }])
})

test('each reason of failed attempts is logged once', async () => {
  const { host } = newHost()
  const reasons = ['one', 'other', 'one']
  await host.retry(() => {
    const reason = reasons.shift()
    return reason ? Promise.reject(new Error(`params: ${reasons.length}`, { cause: reason })) : Promise.resolve()
  })
  const logged = lastErrors().filter(({ message }) => message === 'a step of the start failed; retrying')
  expect(logged).toHaveLength(2)
  await host[Symbol.asyncDispose]()
})
