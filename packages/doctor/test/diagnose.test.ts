import { expect, test } from '@jest/globals'
import { busFields, databaseFields, defineConfig, duration, processFields, secret } from '@parley/config'
import { selfSignedCertificate, tlsServer } from '@parley/testkit'
import { check } from '../src/check.ts'
import { diagnose } from '../src/diagnose.ts'

const readConfig = defineConfig({
  ...processFields(),
  ...busFields(),
  ...databaseFields('rooms'),
  key: secret('PARLEY_TEST_KEY', { doc: '' }),
  wait: duration('PARLEY_TEST_WAIT', { default: '1s', doc: '' }),
})
const env = {
  PARLEY_NATS_URL: 'nats://127.0.0.1:1',
  PARLEY_NATS_PASSWORD: 'password-of-rooms',
  PARLEY_ROOMS_DATABASE_URL: 'postgres://rooms:p%40ssword@127.0.0.1:1/rooms',
  PARLEY_TEST_KEY: 'the-key-itself',
  PARLEY_TEST_WAIT: 'soon',
}

test('a check that fails does not hide others, and no secret is shown', async () => {
  const findings = await diagnose(
    {
      deployable: 'rooms',
      readConfig,
      migrations: new URL('../../../services/rooms/drizzle/', import.meta.url),
      checks: [
        check('careless', {}, async (_, report) => {
          report.ok('careless.first', 'the-key-itself and p@ssword')
          return Promise.reject(new Error('postgres://rooms:p%40ssword@127.0.0.1:1/rooms'))
        }),
        check('unreadable', { wait: duration('PARLEY_TEST_WAIT', { doc: '' }) }, () => Promise.resolve()),
      ],
    },
    env,
  )
  const by = (name: string) => findings.find((finding) => finding.check === name)
  expect(by('settings')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('PARLEY_TEST_WAIT'),
    next: expect.stringContaining('parley config rooms'),
  })
  expect(by('postgres.reach')).toMatchObject({ result: 'fail' })
  expect(by('nats.reach')).toMatchObject({ result: 'fail' })
  expect(by('careless.first')).toMatchObject({ result: 'ok', found: '*** and ***' })
  expect(by('careless')).toMatchObject({ result: 'fail', found: 'the check failed: ***' })
  expect(by('unreadable')).toMatchObject({ result: 'warn', found: expect.stringContaining('its settings are invalid') })
})

test('values in the headers for a collector are hidden only in findings about telemetry', async () => {
  const otel = {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-scope-orgid=parley,authorization=secret-of-mine',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_TRACES_SAMPLER: 'secret-of-mine',
  }
  const findings = await diagnose({ deployable: 'rooms', readConfig }, { ...env, ...otel })
  const by = (name: string) => findings.find((finding) => finding.check === name)
  expect(by('settings')?.next).toContain('parley config rooms')
  expect(by('telemetry.sampler')?.found).toContain('OTEL_TRACES_SAMPLER is ***')
})

test('parley.toml is named only for settings that it can contain', async () => {
  const wrong = { ...env, PARLEY_GENERAL_LOG_LEVEL: 'loud' }
  const findings = await diagnose({ deployable: 'rooms', readConfig }, wrong)
  const nextOf = (name: string) =>
    findings.find(({ check, found }) => check === 'settings' && found.includes(name))?.next
  expect(nextOf('PARLEY_GENERAL_LOG_LEVEL')).toContain('in the environment or in parley.toml;')
  expect(nextOf('PARLEY_TEST_WAIT')).toContain('in the environment;')
})

test('valid settings are counted', async () => {
  const findings = await diagnose({ deployable: 'rooms', readConfig }, { ...env, PARLEY_TEST_WAIT: '2s' })
  expect(findings[0]).toEqual({
    check: 'settings',
    result: 'ok',
    found: expect.stringMatching(/^\d+ settings are valid$/),
    next: '',
  })
})

test('a missing file of authorities is reported', async () => {
  const findings = await diagnose({ deployable: 'rooms', readConfig }, { ...env, NODE_EXTRA_CA_CERTS: '/nowhere.pem' })
  expect(findings.find((finding) => finding.check === 'authorities')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('Correct the path'),
  })
})

test('an invalid address of a collector is reported', async () => {
  const findings = await diagnose({ deployable: 'rooms', readConfig }, { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'otel' })
  expect(findings.find((finding) => finding.check === 'telemetry.address')).toMatchObject({ result: 'fail' })
})

test.each(['http://127.0.0.1:8080', 'http://[::1]:8080', 'http://localhost:8080', 'http://chat.localhost'])(
  'the address %s needs no TLS',
  async (url) => {
    const findings = await diagnose({ deployable: 'gateway', readConfig }, { ...env, PARLEY_WEBSERVER_URL: url })
    expect(findings.find(({ check }) => check === 'public.certificate')).toMatchObject({ result: 'ok' })
  },
)

test('a public address without TLS, without a server, or with an expired certificate is reported', async () => {
  const ofGateway = async (url: string) => {
    const findings = await diagnose({ deployable: 'gateway', readConfig }, { ...env, PARLEY_WEBSERVER_URL: url })
    return findings.find((finding) => finding.check === 'public.certificate')
  }
  expect(await ofGateway('http://localhost.example.org')).toMatchObject({ result: 'warn' })
  expect(await ofGateway('http://chat.example.org')).toMatchObject({
    result: 'warn',
    next: expect.stringContaining('Put a proxy with TLS in front'),
  })
  expect(await ofGateway('https://127.0.0.1:1')).toMatchObject({
    result: 'warn',
    found: expect.stringContaining('no TLS connection to 127.0.0.1:1'),
  })
  const until = new Date(Date.now() - 86_400_000)
  await using server = await tlsServer(selfSignedCertificate({ from: new Date(until.getTime() - 86_400_000), until }))
  expect(await ofGateway(`https://127.0.0.1:${server.port}`)).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('expired on'),
  })
})
