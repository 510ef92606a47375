import { expect, test } from '@jest/globals'
import { Health, serveInternal } from '@parley/runtime'
import { counter } from '@parley/telemetry'

async function startServer(health = new Health()) {
  const server = await serveInternal({ host: '127.0.0.1', port: 0, health })
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }
  const json = async (path: string) => {
    const { status, text } = await get(path)
    return { status, body: JSON.parse(text) as unknown }
  }
  return { health, get, json, port: server.port, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('the process is live from the start', async () => {
  await using server = await startServer()
  server.health.requireAtStart('nats')
  expect(await server.json('/healthz')).toEqual({ status: 200, body: { status: 'ok' } })
})

test('the process is ready once all dependencies are available, and not while it drains', async () => {
  await using server = await startServer()
  const nats = server.health.requireAtStart('nats')
  const postgres = server.health.requireAtStart('postgres')
  expect(await server.json('/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', reasons: ['waiting for nats', 'waiting for postgres'] },
  })
  nats()
  postgres()
  postgres()
  expect(await server.json('/readyz')).toEqual({ status: 200, body: { status: 'ready' } })
  server.health.drain()
  expect(await server.json('/readyz')).toEqual({ status: 503, body: { status: 'not ready', reasons: ['draining'] } })
  expect(await server.json('/healthz')).toMatchObject({ status: 200 })
})

test('readiness waits for both of two dependencies with the same name', async () => {
  const health = new Health()
  const [first, second] = [health.requireAtStart('nats'), health.requireAtStart('nats')]
  first()
  expect(health.status().ready).toBe(false)
  second()
  expect(health.status()).toEqual({ ready: true, reasons: [] })
})

test('a check makes the process unready while it returns a reason', async () => {
  await using server = await startServer()
  let behind: string | undefined = '5000 events behind'
  const watched = server.health.addCheck('relay', () => behind)
  expect((await server.json('/readyz')).body).toMatchObject({ reasons: ['relay: 5000 events behind'] })
  behind = undefined
  expect(await server.json('/readyz')).toMatchObject({ status: 200 })
  behind = 'again'
  watched[Symbol.dispose]()
  expect(await server.json('/readyz')).toMatchObject({ status: 200 })
})

test('metrics are served as text', async () => {
  await using server = await startServer()
  counter('test.served', { description: 'Served', unit: '{request}' })(3)
  const { status, type, text } = await server.get('/metrics')
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(text).toContain('\ntest_served_total 3\n')
})

test('other paths and methods are refused', async () => {
  await using server = await startServer()
  expect(await server.json('/')).toMatchObject({ status: 404 })
  expect(await server.get('/healthz', 'POST')).toMatchObject({ status: 405 })
})

test('a port in use is an error, and a closed server no longer answers', async () => {
  const server = await startServer()
  const second = serveInternal({ host: '127.0.0.1', port: server.port, health: new Health() })
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await server[Symbol.asyncDispose]()
  await expect(fetch(`http://127.0.0.1:${server.port}/healthz`)).rejects.toThrow()
})
