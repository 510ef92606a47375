import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { telemetryCheck } from '../src/telemetry.ts'
import { selfSigned, tlsServer } from '@parley/testkit'
import { found, problems } from './_found.ts'

const server = createServer((socket) => socket.on('error', () => undefined).end())
let port: number
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const sending = (more: NodeJS.ProcessEnv = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
  ...more,
})

test('a collector that listens, and none', async () => {
  expect(await found(telemetryCheck, sending(), 'telemetry.reach')).toMatchObject({ result: 'ok' })
  const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  expect(await problems(telemetryCheck, sending({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...ratio }))).toEqual([])
  expect(await telemetryCheck({ env: {} })).toEqual([])
  const disabled = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grcp' }
  expect(await telemetryCheck({ env: sending(disabled) })).toEqual([])
})

test('a collector that is away is a warning, of each address once', async () => {
  const env = sending({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:1/v1/metrics' })
  expect(await problems(telemetryCheck, env)).toEqual([
    {
      ...{ check: 'telemetry.reach', result: 'warn' },
      found: expect.stringContaining('127.0.0.1:1: connect ECONNREFUSED'),
      next: expect.stringContaining('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
    },
  ])
  expect(await problems(telemetryCheck, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toHaveLength(1)
})

test.each(['127.0.0.1:4318', 'localhost:4317', 'ftp://127.0.0.1', 'http://'])('the address %s', async (address) => {
  expect(await problems(telemetryCheck, { OTEL_EXPORTER_OTLP_ENDPOINT: address })).toEqual([
    expect.objectContaining({
      ...{ check: 'telemetry.address', result: 'fail' },
      next: expect.stringContaining('http://collector:4318'),
    }),
  ])
})

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grcp' }, 'telemetry.protocol', 'http/protobuf'],
  [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'json' }, 'telemetry.protocol', 'http/json'],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratoi' }, 'telemetry.sampler', 'parentbased_traceidratio'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, 'telemetry.sampler', '0 to 1'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10' }, 'telemetry.sampler', '0 to 1'],
])('%j fails with what to write', async (env, check, next) => {
  expect(await problems(telemetryCheck, sending(env))).toEqual([
    { check, result: 'fail', found: expect.any(String), next: expect.stringContaining(next) },
  ])
})

test('the port of the other protocol', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' }
  expect(await found(telemetryCheck, env, 'telemetry.protocol')).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL=grpc'),
  })
})

test('a certificate of the collector that has ended', async () => {
  const until = new Date(Date.now() - 86_400_000)
  await using secure = await tlsServer(selfSigned({ from: new Date(until.getTime() - 86_400_000), until }))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://127.0.0.1:${secure.port}` }
  expect(await found(telemetryCheck, env, 'telemetry.certificate')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('ended on'),
  })
})
