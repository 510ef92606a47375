import { createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RoomDirectoryService } from '@parley/contracts/api'
import { setJoinClientTraces, startTelemetry, stopTelemetry } from '@parley/telemetry'
import { OtlpReceiver } from '@parley/testkit'
import { openEnv, type Env, type Gateway } from './_env.ts'

const name = 'svc.api.v1.RoomDirectoryService/GetRoom'

let collector: OtlpReceiver
let env: Env
let gateway: Gateway
beforeAll(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry({ ...process.env, PARLEY_JOIN_CLIENT_TRACES: 'true' })
  env = await openEnv()
  gateway = await env.start()
  for (const [n, transport] of transports().entries()) await getRoom(transport, traceIds[n])
  setJoinClientTraces(false)
  await getRoom(createGrpcTransport({ baseUrl: gateway.url }), notJoined)
  setJoinClientTraces(true)
  await fetch(`${gateway.url}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent: `00-${signIn}-b7ad6b7169203331-01` },
    body: JSON.stringify({ login: 'somebody', password: 'a secret that nobody writes down' }),
  })
  await fetch(`${gateway.url}/healthz`)
  await env[Symbol.asyncDispose]()
  await stopTelemetry()
})
// Stops telemetry even if beforeAll fails, because the next test file in this process starts telemetry again.
afterAll(async () => {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

const traceIds = ['1'.repeat(32), '2'.repeat(32)]
const signIn = '3'.repeat(32)
const notJoined = '4'.repeat(32)
const transports = () => [
  createConnectTransport({ baseUrl: `${gateway.url}/api/connect`, httpVersion: '1.1', useBinaryFormat: false }),
  createGrpcTransport({ baseUrl: gateway.url }),
]
const getRoom = (transport: Transport, traceId = '') =>
  createClient(RoomDirectoryService, transport).getRoom(
    { roomId: 'R1' },
    {
      headers: {
        authorization: `Bearer ${env.accounts.credential('U-ada')}`,
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
    },
  )
const spansOf = (traceId: string | undefined) => collector.spans.filter((span) => span.traceId === traceId)

test.each([
  ['connectrpc', 0],
  ['grpc', 1],
])('a %s request continues the trace of its client', (system, n) => {
  const spans = spansOf(traceIds[n]).filter((span) => span.name === name)
  const [own] = spans.filter(({ attributes }) => attributes['rpc.system.name'] === system)
  expect(own).toMatchObject({ kind: 'server', parentSpanId: 'b7ad6b7169203331' })
  const [client] = spans.filter(({ kind }) => kind === 'client')
  expect(client?.parentSpanId).toBe(own?.spanId)
  const [served] = spans.filter(({ attributes, kind }) => kind === 'server' && attributes['rpc.system.name'] === 'nats')
  expect(served?.parentSpanId).toBe(client?.spanId)
})

test('if traces of clients are not joined, a request begins a trace of its own', () => {
  expect(spansOf(notJoined)).toEqual([])
  expect(JSON.stringify(collector.batches)).not.toContain(notJoined)
  const traces = new Set(collector.spans.filter((span) => span.name === name).map(({ traceId }) => traceId))
  expect(traces.size).toBe(3)
})

test('a browser route has a span with its route', () => {
  const [own, ...others] = spansOf(signIn).filter(({ name }) => name === 'POST /auth/login')
  expect(others).toEqual([])
  expect(own).toMatchObject({ kind: 'server', parentSpanId: 'b7ad6b7169203331' })
  expect(own?.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.route': '/auth/login' })
  expect(own?.attributes['http.response.status_code']).toBeGreaterThan(0)
  expect(spansOf(signIn).length).toBeGreaterThan(1)
})

test('probes have no spans', () => {
  expect(collector.spans.filter(({ name }) => name.includes('healthz'))).toEqual([])
})
