import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { telemetryCheck } from '../src/telemetry.ts'
import { selfSignedCertificate, tlsServer } from '@parley/testkit'
import { findingOf, problems } from './_found.ts'

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

test('a collector that listens passes; without a collector, or with the SDK disabled, nothing is checked', async () => {
  expect(await findingOf(telemetryCheck, sending(), 'telemetry.reach')).toMatchObject({ result: 'ok' })
  const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  expect(await problems(telemetryCheck, sending({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', ...ratio }))).toEqual([])
  expect(await telemetryCheck({ env: {} })).toEqual([])
  const disabled = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grcp' }
  expect(await telemetryCheck({ env: sending(disabled) })).toEqual([])
})

test('an unavailable collector is a warning, once for each address', async () => {
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

test.each(['127.0.0.1:4318', 'localhost:4317', 'ftp://127.0.0.1', 'http://'])(
  'the address %s is reported as invalid',
  async (address) => {
    expect(await problems(telemetryCheck, { OTEL_EXPORTER_OTLP_ENDPOINT: address })).toEqual([
      expect.objectContaining({
        ...{ check: 'telemetry.address', result: 'fail' },
        next: expect.stringContaining('http://collector:4318'),
      }),
    ])
  },
)

test('an address for gRPC needs no scheme; TLS is used unless OTEL_EXPORTER_OTLP_INSECURE is true', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `127.0.0.1:${port}`, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  expect(await problems(telemetryCheck, { ...env, OTEL_EXPORTER_OTLP_INSECURE: 'True' })).toEqual([])
  expect(await problems(telemetryCheck, env)).toEqual([
    expect.objectContaining({ check: 'telemetry.certificate', found: expect.stringContaining('no TLS connection to') }),
  ])
})

test('signals that are not exported with OTLP need no collector', async () => {
  const elsewhere = { OTEL_TRACES_EXPORTER: 'console', OTEL_METRICS_EXPORTER: 'prometheus', OTEL_LOGS_EXPORTER: 'none' }
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere', ...elsewhere }
  expect(await telemetryCheck({ env })).toEqual([])
  expect(await problems(telemetryCheck, { ...env, OTEL_TRACES_EXPORTER: 'console, otlp' })).toHaveLength(1)
})

test.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grcp' }, 'telemetry.protocol', 'http/protobuf'],
  [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'json' }, 'telemetry.protocol', 'http/json'],
  [{ OTEL_TRACES_SAMPLER: 'parentbased_traceidratoi' }, 'telemetry.sampler', 'parentbased_traceidratio'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, 'telemetry.sampler', '0 to 1'],
  [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10' }, 'telemetry.sampler', '0 to 1'],
])('%j is reported with the valid values', async (env, check, next) => {
  expect(await problems(telemetryCheck, sending(env))).toEqual([
    { check, result: 'fail', found: expect.any(String), next: expect.stringContaining(next) },
  ])
})

test('the usual port of another protocol is a warning', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317' }
  expect(await findingOf(telemetryCheck, env, 'telemetry.protocol')).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('OTEL_EXPORTER_OTLP_PROTOCOL=grpc'),
  })
})

test('an expired certificate of the collector is reported', async () => {
  const until = new Date(Date.now() - 86_400_000)
  await using secure = await tlsServer(selfSignedCertificate({ from: new Date(until.getTime() - 86_400_000), until }))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://127.0.0.1:${secure.port}` }
  expect(await findingOf(telemetryCheck, env, 'telemetry.certificate')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('expired on'),
  })
})

test('the authority that the settings name is trusted, and one that they do not name is reported', async () => {
  const dayMs = 86_400_000
  const pair = selfSignedCertificate({ from: new Date(Date.now() - dayMs), until: new Date(Date.now() + 90 * dayMs) })
  const folder = mkdtempSync(join(tmpdir(), 'parley-telemetry-'))
  try {
    const file = join(folder, 'ca.crt')
    writeFileSync(file, pair.cert)
    await using secure = await tlsServer(pair)
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `https://127.0.0.1:${secure.port}` }
    const untrusted = { check: 'telemetry.certificate', found: expect.stringContaining('is not trusted') }
    expect(await problems(telemetryCheck, env)).toEqual([expect.objectContaining(untrusted)])
    expect(await problems(telemetryCheck, { ...env, OTEL_EXPORTER_OTLP_CERTIFICATE: file })).toEqual([])
    const other = join(folder, 'other.crt')
    writeFileSync(other, selfSignedCertificate({ from: new Date(), until: new Date(Date.now() + dayMs) }).cert)
    const [mistaken] = await problems(telemetryCheck, { ...env, OTEL_EXPORTER_OTLP_CERTIFICATE: other })
    expect(mistaken).toMatchObject({
      ...untrusted,
      next: expect.stringContaining('the file that OTEL_EXPORTER_OTLP_CERTIFICATE names'),
    })
    expect(mistaken?.next).not.toContain('NODE_EXTRA_CA_CERTS')
    const missing = { OTEL_EXPORTER_OTLP_CERTIFICATE: join(folder, 'missing.crt') }
    expect(await problems(telemetryCheck, { ...env, ...missing })).toEqual([
      expect.objectContaining({ result: 'warn', next: expect.stringContaining('OTEL_EXPORTER_OTLP_CERTIFICATE') }),
      expect.objectContaining(untrusted),
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
