import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { int } from '@parley/config'
import { busUsers, deployableNames, propertiesOf } from '@parley/contracts/deployables'
import { requestKeeper, keepStream } from '@parley/events'
import { type Nats, startNats } from '@parley/local/infrastructure'
import { connectBus, type Bus } from '@parley/rpc'
import { eventually, selfSignedCertificate } from '@parley/testkit'
import { busCheck, streamCheck } from '../src/bus.ts'
import { findingOf, problems } from './_found.ts'

const shipped = readFileSync(fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url)), 'utf8')
const dir = mkdtempSync(join(tmpdir(), 'parley-doctor-'))
const conf = join(dir, 'parley.conf')
const closing: (() => unknown)[] = [() => rmSync(dir, { recursive: true, force: true })]
const passwords = Object.fromEntries(
  busUsers.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, `password-of-${user}`]),
)
let nats: Nats
let adminBus: Bus

const envOf = (name: string, password = `password-of-${name}`) => ({
  PARLEY_NATS_URL: nats.url,
  PARLEY_NATS_USER: name,
  PARLEY_NATS_PASSWORD: password,
})
const stream = streamCheck('admin', {
  streamMaxBytes: int('PARLEY_TEST_MAX_BYTES', { default: 32 * 1024 ** 2, doc: '' }),
  streamReplicas: int('PARLEY_TEST_REPLICAS', { optional: true, doc: '' }),
})
const launch = (port?: number) =>
  startNats({ dir: join(dir, 'nats'), conf, env: passwords, ...(port !== undefined && { port }) })
const configure = async (text: string) => {
  writeFileSync(conf, text)
  await nats.stop()
  nats = await launch(nats.port)
}

beforeAll(async () => {
  writeFileSync(conf, shipped)
  nats = await launch()
  closing.push(() => nats.stop())
  const admin = { user: 'admin', password: 'password-of-admin', name: 'admin' }
  adminBus = await connectBus({ url: nats.url, ...admin, purpose: 'events' })
  closing.push(() => adminBus[Symbol.asyncDispose]())
})
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

test('an invalid address is reported', async () => {
  expect(await problems(busCheck('rooms'), { ...envOf('rooms'), PARLEY_NATS_URL: 'nats://127.0.0.1:99999' })).toEqual([
    expect.objectContaining({ check: 'nats.reach', result: 'fail', next: expect.stringContaining('nats://host:4222') }),
  ])
})

test('before the first start, the stream and its keeper are reported as missing', async () => {
  expect(await problems(stream, envOf('admin'))).toEqual([
    expect.objectContaining({ check: 'nats.stream', result: 'fail', next: expect.stringContaining('Start admin') }),
  ])
  expect(await problems(busCheck('rooms'), envOf('rooms'))).toEqual([
    expect.objectContaining({ check: 'nats.durables', result: 'warn', next: expect.stringContaining('Start admin') }),
  ])
})

test('durables are reported as missing until they are requested; then everything passes', async () => {
  const keeper = await keepStream(adminBus, { maxBytes: 32 * 1024 ** 2 })
  closing.push(() => keeper[Symbol.asyncDispose]())
  await eventually(async () =>
    expect(await findingOf(stream, envOf('admin'), 'nats.stream')).toMatchObject({ result: 'ok' }),
  )
  expect(await problems(busCheck('rooms'), envOf('rooms'))).toEqual([
    {
      ...{ check: 'nats.durables', result: 'warn' },
      found: 'missing on the stream: rooms-people, rooms-people-access, rooms-erasures',
      next: expect.stringContaining('Start rooms'),
    },
  ])
  for (const name of deployableNames) {
    const own = { user: name, password: `password-of-${name}`, name }
    await using bus = await connectBus({ url: nats.url, ...own, purpose: 'events' })
    for (const durable of propertiesOf(name).consumes ?? [])
      await requestKeeper(bus, 'durable', { durable, subject: 'evt.user.>', anew: false })
  }
  const all = deployableNames.map(async (name) => ({ name, problems: await problems(busCheck(name), envOf(name)) }))
  expect((await Promise.all(all)).filter((one) => one.problems.length > 0)).toEqual([])
  expect(await problems(stream, envOf('admin'))).toEqual([])
})

test('an unknown durable, and a stream that is smaller and has fewer copies than configured, are reported', async () => {
  const { consumers } = await adminBus.nc.jetstreamManager({ checkAPI: false })
  await consumers.add('EVENTS', { durable_name: 'rooms-of-old' })
  const settings = { PARLEY_TEST_MAX_BYTES: String(1024 ** 3), PARLEY_TEST_REPLICAS: '3' }
  expect(await problems(stream, { ...envOf('admin'), ...settings })).toEqual([
    expect.objectContaining({ check: 'nats.store', result: 'warn', next: expect.stringContaining('max_file_store') }),
    expect.objectContaining({ check: 'nats.replicas', result: 'warn', found: 'the stream has 1 of 3 copies' }),
    expect.objectContaining({ check: 'nats.unknown', result: 'warn', found: expect.stringContaining('rooms-of-old') }),
  ])
  await consumers.delete('EVENTS', 'rooms-of-old')
})

test('a clock of NATS that is behind this machine is reported', async () => {
  const now = Date.now.bind(Date)
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 90_000)
  const finding = await findingOf(stream, envOf('admin'), 'nats.clock')
  clock.mockRestore()
  expect(finding).toMatchObject({
    result: 'fail',
    found: expect.stringMatching(/^the clock of NATS is (89|90)\.\d s behind this machine's$/),
    next: expect.stringContaining('Synchronise the clocks of both machines (NTP)'),
  })
  expect(await findingOf(stream, envOf('admin'), 'nats.clock')).toMatchObject({ result: 'ok' })
})

test('a wrong password is reported with the setting of the server, but not shown', async () => {
  const finding = await findingOf(busCheck('rooms'), envOf('rooms', 'wrong-password'), 'nats.reach')
  expect(finding).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('PARLEY_NATS_PASSWORD_ROOMS of the NATS server'),
  })
  expect(JSON.stringify(finding)).not.toContain('wrong-password')
})

test('one unavailable server of several is reported', async () => {
  const env = { ...envOf('rooms'), PARLEY_NATS_URL: `nats://127.0.0.1:1,${nats.url}` }
  expect(await problems(busCheck('rooms'), env)).toEqual([
    expect.objectContaining({
      check: 'nats.reach',
      result: 'fail',
      found: expect.stringContaining('127.0.0.1:1'),
      next: expect.stringContaining('Start NATS'),
    }),
  ])
})

test('a permission missing in an older configuration and a too small message limit are reported', async () => {
  const call = '"rpc.internal.svc_internal_v1_MessagingInternalService.RoomStates"'
  await configure(shipped.replaceAll(call, '').replace('max_payload: 2MB', 'max_payload: 1MB'))
  expect(await findingOf(busCheck('rooms'), envOf('rooms'), 'nats.permissions')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('MessagingInternalService.RoomStates'),
    next: expect.stringContaining('deploy/nats/parley.conf of this release'),
  })
  expect(await findingOf(busCheck('rooms'), envOf('rooms'), 'nats.limits')).toMatchObject({
    result: 'fail',
    next: expect.stringContaining('max_payload: 2MB'),
  })
  const served = '"rpc.internal.svc_internal_v1_RoomsInternalService.* rooms"'
  await configure(shipped.replaceAll(served, ''))
  expect(await findingOf(busCheck('rooms'), envOf('rooms'), 'nats.permissions')).toMatchObject({
    found: expect.stringContaining('RoomsInternalService'),
  })
})

test('a server whose configuration lacks the user with which a deployable connects for events is reported', async () => {
  await configure(shipped.replace('user: "rooms-events"', 'user: "other-events"'))
  expect(await problems(busCheck('rooms'), envOf('rooms'))).toContainEqual({
    ...{ check: 'nats.events', result: 'fail' },
    found: expect.stringMatching(/^cannot connect to 127\.0\.0\.1:\d+ as rooms-events: /),
    next: expect.stringContaining('must run with the deploy/nats/parley.conf of this release'),
  })
})

test.each([
  [
    'may call the methods of the operator',
    'rpc.internal.svc_internal_v1_OperatorService.*',
    'OperatorService.DoctorCheck',
  ],
  ['may read responses to the operator', '_INBOX.>', '_INBOX.operator.doctor'],
])('a user that %s is reported', async (_, right, denied) => {
  const user = shipped.indexOf('user: "rooms"')
  const list = right.startsWith('rpc.') ? 'publish: { allow: [' : 'subscribe: { allow: ['
  const start = shipped.indexOf(list, user) + list.length
  await configure(`${shipped.slice(0, start)}\n"${right}"${shipped.slice(start)}`)
  expect(await findingOf(busCheck('rooms'), envOf('rooms'), 'nats.permissions')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining(denied),
    next: expect.stringContaining('deploy/nats/parley.conf of this release'),
  })
})

test('a durable that is far behind is reported', async () => {
  await configure(shipped)
  const accounts = { user: 'accounts', password: 'password-of-accounts', name: 'accounts' }
  await using bus = await connectBus({ url: nats.url, ...accounts, purpose: 'events' })
  for (let n = 0; n < 10_000; n++) bus.nc.publish('evt.user.alice.user_updated')
  await eventually(async () =>
    expect(await findingOf(busCheck('rooms'), envOf('rooms'), 'nats.lag')).toEqual({
      ...{ check: 'nats.lag', result: 'warn' },
      found: 'rooms-people is 10000 messages behind',
      next: 'Check the log of rooms, or add processes.',
    }),
  )
})

test('a server that restricts no user is reported', async () => {
  const open = join(dir, 'open.conf')
  writeFileSync(open, 'max_payload: 2MB\n')
  const server = await startNats({ dir: join(dir, 'open'), conf: open })
  closing.push(() => server.stop())
  const env = { ...envOf('rooms', 'any-password'), PARLEY_NATS_URL: server.url }
  expect(await findingOf(busCheck('rooms'), env, 'nats.permissions')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('NATS restricts nobody'),
    next: expect.stringContaining('deploy/nats/parley.conf of this release'),
  })
})

test('a server without JetStream is reported', async () => {
  const none = join(dir, 'none.conf')
  writeFileSync(none, 'max_payload: 2MB\n')
  const server = await startNats({ dir: join(dir, 'none'), conf: none })
  closing.push(() => server.stop())
  expect(await problems(stream, { PARLEY_NATS_URL: server.url })).toEqual([
    expect.objectContaining({ check: 'nats.jetstream', result: 'fail', next: expect.stringContaining('-sd') }),
  ])
})

test('a server that is too old is reported', async () => {
  const info = { server_id: 'old', version: '2.8.4', proto: 1, headers: true, max_payload: 2 * 1024 ** 2 }
  const old = createServer((socket) => {
    socket.write(`INFO ${JSON.stringify(info)}\r\n`)
    socket.on('data', (data) => data.includes('PING') && socket.write('PONG\r\n'))
  }).listen(0, '127.0.0.1')
  await once(old, 'listening')
  closing.push(() => old.close())
  const env = { PARLEY_NATS_URL: `nats://127.0.0.1:${(old.address() as AddressInfo).port}` }
  expect(await findingOf(busCheck('rooms'), env, 'nats.version')).toEqual({
    ...{ check: 'nats.version', result: 'fail', found: 'NATS 2.8.4 is too old' },
    next: 'Upgrade it to 2.9 or newer.',
  })
})

test('an expired certificate of NATS is reported', async () => {
  const dayMs = 86_400_000
  const pair = selfSignedCertificate({ from: new Date(Date.now() - 9 * dayMs), until: new Date(Date.now() - dayMs) })
  const tls = join(dir, 'tls.conf')
  writeFileSync(join(dir, 'server.crt'), pair.cert)
  writeFileSync(join(dir, 'server.key'), pair.key)
  writeFileSync(
    tls,
    `max_payload: 2MB\ntls { cert_file: "${join(dir, 'server.crt')}", key_file: "${join(dir, 'server.key')}" }\n`,
  )
  const server = await startNats({ dir: join(dir, 'tls'), conf: tls })
  closing.push(() => server.stop())
  const found = await problems(busCheck('rooms'), { PARLEY_NATS_URL: server.url.replace('nats:', 'tls:') })
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'nats.certificate',
      result: 'fail',
      found: expect.stringContaining('expired on'),
    }),
  )
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'nats.reach',
      result: 'fail',
      next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
    }),
  )
})
