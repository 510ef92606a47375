import { createECDH, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { PushNotificationService, RoomService } from '@parley/contracts/api'
import { dataDirAt } from '@parley/local'
import { eventually, PushService, freeze } from '@parley/testkit'
import { fillStream } from '../src/alerts/fill-stream.ts'
import { lockTable } from '../src/alerts/locks.ts'
import { newReaders, startReading } from '../src/alerts/many-readers.ts'
import { disposeTogether, repeatUntilDisposed } from '../src/alerts/repeat-until-disposed.ts'
import { startWatchedFleet, type WatchedFleet } from '../src/alerts/watched-fleet.ts'
import { databaseOf } from '../src/databases.ts'
import { fleet, reasonNotToFreeze, serverPid } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { mailTo } from '../src/mails.ts'
import { newPerson, operate, type Person, signInOwner } from '../src/people.ts'
import { processesOf, waitUntilHealthy } from '../src/processes.ts'
import { findPrometheus } from '../src/prometheus.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const mebibytes = 1024 ** 2
const settings = {
  PARLEY_NATS_STREAM_MAX_BYTES: '16 MiB',
  PARLEY_SMTP_MAILS_PER_HOUR: '4',
  PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
}

/** VAPID keys with which no browser has subscribed. */
function newKeys(): NodeJS.ProcessEnv {
  const keys = createECDH('prime256v1')
  const publicKey = keys.generateKeys('base64url')
  return { PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKey, PARLEY_PUSH_VAPID_PRIVATE_KEY: keys.getPrivateKey('base64url') }
}
const previousKeys = { PARLEY_PUSH_VAPID_PUBLIC_KEY: undefined, PARLEY_PUSH_VAPID_PRIVATE_KEY: undefined }

const found = await findPrometheus()
const why = reasonNotToFreeze() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`alerts on a real fleet: not tested${why}`)

jest.setTimeout(900_000)

withPrometheus(`alerts fire during their fault and end after its remedy${why}`, () => {
  let watched: WatchedFleet
  let owner: Person
  let ada: Person
  let bob: Person
  let roomId: string
  beforeAll(async () => {
    if (!('path' in found)) return
    watched = await startWatchedFleet(found.path, settings)
    ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
    roomId = await newRoom(owner, [ada, bob])
  })
  afterAll(async () => watched?.[Symbol.asyncDispose]())

  const waitUntilFiring = (alert: string) => watched.prometheus.waitUntilFiring(alert)
  const waitUntilResolved = (alert: string, timeoutMs?: number) =>
    watched.prometheus.waitUntilResolved(alert, timeoutMs)
  const waitForLogLine = (service: string, line: string) =>
    eventually(() => expect(watched.logOf(service)).toContain(line), { timeoutMs: 60_000 })
  const waitUntilAboveZero = (query: string) => watched.prometheus.waitUntilAboveZero(query)

  test('ParleyProxyUntrusted: a proxy that is not configured', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    await using _ = repeatUntilDisposed(200, () => fetch(`${fleet().gateways[0]}/`, { headers }))
    await waitUntilFiring('ParleyProxyUntrusted')
    await waitForLogLine('gateway', 'requests come through a proxy that is not trusted')
    for (const service of ['gateway', 'uploads', 'realtime'])
      await watched.reconfigure(service, { PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1' })
    await waitUntilResolved('ParleyProxyUntrusted')
  })

  const register = async () => {
    const email = `${randomBytes(6).toString('hex')}@example.org`
    await postJson(`${fleet().gateways[0]}/auth/register`, { email })
    return email
  }

  test('ParleyMailsOverBudget: more registrations than mails are allowed', async () => {
    for (let n = 0; n < 6; n++) await register()
    await waitUntilFiring('ParleyMailsOverBudget')
    await waitUntilAboveZero(
      'ALERTS{alertname="ParleyMailsOverBudget",alertstate="firing",parley_kind="registration_code"}',
    )
    await watched.reconfigure('accounts', { PARLEY_SMTP_MAILS_PER_HOUR: '3000' })
    await mailTo(await register())
    await waitUntilResolved('ParleyMailsOverBudget')
  })

  test('ParleyMailsFail: nothing at the port of the mail server', async () => {
    const server = { PARLEY_SMTP_HOST: '127.0.0.1', PARLEY_SMTP_PORT: '1', PARLEY_SMTP_FROM: 'chat@example.org' }
    await watched.reconfigure('accounts', { PARLEY_SMTP_ENABLED: 'true', ...server })
    await register()
    await waitUntilFiring('ParleyMailsFail')
    await waitForLogLine('accounts', 'a mail could not be sent')
    await watched.reconfigure('accounts', { PARLEY_SMTP_ENABLED: 'false' })
    await mailTo(await register())
    await waitUntilResolved('ParleyMailsFail')
  })

  test('ParleyPushesFail: other VAPID keys', async () => {
    const { room } = await bob.call(RoomService.method.startDM, { participantIds: [ada.userId] })
    await using service = await PushService.start()
    const { subscribe } = PushNotificationService.method
    for (let n = 0; n < 5; n++) await ada.call(subscribe, service.subscribe(`browser-${n}`))
    await using _ = repeatUntilDisposed(500, () => post(bob, room?.id ?? '', 'are you there?'))
    const { publicKey } = await eventually(() => service.received[0]?.vapid ?? Promise.reject(new Error('no push')))
    service.answer = ({ vapid }) => ({ status: vapid.publicKey === publicKey ? 201 : 403 })
    await watched.reconfigure('notifications', newKeys())
    await waitUntilFiring('ParleyPushesFail')
    await waitUntilAboveZero('sum(rate(parley_push_pushes_total{parley_outcome="refused"}[5s]))')
    await waitUntilAboveZero(
      'sum(rate(http_client_request_duration_seconds_count{http_response_status_code="403"}[5s]))',
    )
    await watched.reconfigure('notifications', previousKeys)
    await waitUntilResolved('ParleyPushesFail')
    await waitUntilAboveZero('sum(rate(parley_push_pushes_total{parley_outcome="accepted"}[5s]))')
  })

  test('ParleySocketsLag: realtime nodes frozen in turn', async () => {
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribe(node, ada.token)))
    await using _posting = repeatUntilDisposed(50, () => post(bob, roomId, 'hello'))
    {
      // One node at a time is frozen, because a frozen process cannot be scraped.
      await using _pausing = repeatUntilDisposed(0, async () => {
        for (const { pid } of processesOf('realtime')) {
          using _ = freeze(pid)
          await sleep(4_000)
        }
      })
      await waitUntilFiring('ParleySocketsLag')
      await waitUntilAboveZero('max(nodejs_eventloop_delay_max_seconds{job="realtime"}) > 1')
    }
    await waitUntilResolved('ParleySocketsLag')
    sockets.forEach((socket) => socket[Symbol.dispose]())
  })

  test('ParleyEventsWait: NATS frozen', async () => {
    {
      using _ = freeze(serverPid('nats'))
      await operate(['owner', 'create', '--login', 'otto', '--password-stdin', '--direct'], 'a second owner of it')
      await waitUntilFiring('ParleyEventsWait')
      await waitForLogLine('accounts', 'the bus does not answer; connecting again')
    }
    await waitUntilResolved('ParleyEventsWait')
    await waitUntilHealthy()
  })

  test('ParleyDatabaseWaits, ParleyOverloaded and both ParleyErrorBudgetBurns alerts: a locked table', async () => {
    const busy = ['ParleyDatabaseWaits', 'ParleyOverloaded']
    const burning = ['ParleyErrorBudgetBurnsFast', 'ParleyErrorBudgetBurnsSlowly']
    const readers = await newReaders(roomId)
    const rooms = await Promise.all(Array.from({ length: 12 }, () => newRoom(owner, [bob])))
    await using lock = await lockTable('messaging', 'room_events')
    {
      await using _reading = startReading(readers, roomId)
      await using _writing = disposeTogether(
        rooms.map((room) => repeatUntilDisposed(200, () => post(bob, room, 'hello'))),
      )
      await Promise.all([...busy, ...burning].map(waitUntilFiring))
      expect((await lock.lockWaits()).waits).toBeGreaterThan(0)
      await waitUntilAboveZero('max(parley_rpc_server_queue_waiting{parley_service="messaging"})')
      await lock.terminate()
    }
    await Promise.all(busy.map((alert) => waitUntilResolved(alert)))
    await waitUntilHealthy()
    // The shorter window of the slowest burn rate is six hours, here six minutes.
    await Promise.all(burning.map((alert) => waitUntilResolved(alert, 540_000)))
  })

  test('ParleyConsumerBehind, ParleyStreamFull and ParleyEventsLost: a consumer that makes no progress', async () => {
    await using lock = await lockTable('admin', 'audit_entries')
    for (let n = 0; n < 20; n++) await newRoom(owner)
    await waitUntilFiring('ParleyConsumerBehind')
    expect((await lock.lockWaits()).waits).toBeGreaterThan(0)
    await fillStream(15 * mebibytes)
    await waitUntilFiring('ParleyStreamFull')
    // As if the events were older than three days, after which the stream drops them. Messaging checks every five
    // minutes.
    await using outbox = await databaseOf('messaging')
    await outbox.query(`update outbox set relayed_at = relayed_at - interval '73 hours' where relayed_at is not null`)
    await watched.prometheus.waitUntilFiring('ParleyEventsLost', 360_000)
    await waitForLogLine('messaging', 'events left the stream before every consumer had handled them')
    await lock.terminate()
    await waitUntilResolved('ParleyConsumerBehind')
    await watched.reconfigure('admin', { PARLEY_NATS_STREAM_MAX_BYTES: '64 MiB' })
    await waitUntilResolved('ParleyStreamFull')
    await waitUntilResolved('ParleyEventsLost')
  })

  test('ParleyStreamCut: NATS returns with an empty store', async () => {
    const pid = serverPid('nats')
    process.kill(pid, 'SIGSTOP')
    rmSync(join(dataDirAt(watched.dataDir).nats, 'store'), { recursive: true })
    process.kill(pid, 'SIGKILL')
    await using _ = repeatUntilDisposed(500, () => post(bob, roomId, 'after the loss'))
    await waitUntilFiring('ParleyStreamCut')
    await waitForLogLine('messaging', 'the stream lost events; they are relayed again')
    await waitUntilResolved('ParleyStreamCut')
  })
})
