import { createECDH, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { PushNotificationService, RoomService } from '@parley/contracts/api'
import { dataDirAt } from '@parley/local'
import { eventually, PushService } from '@parley/testkit'
import { crowdStream } from '../src/alerts/crowded-stream.ts'

import { lockTable } from '../src/alerts/locks.ts'
import { newReaders, reading } from '../src/alerts/many-readers.ts'
import { allOf, repeating } from '../src/alerts/repeating.ts'
import { startWatchedFleet, type WatchedFleet } from '../src/alerts/watched-fleet.ts'
import { databaseOf } from '../src/databases.ts'
import { fleet, frozenWithGateway, serverPid } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { mailTo } from '../src/mails.ts'
import { newPerson, operate, type Person, theOwner } from '../src/people.ts'
import { frozen, processesOf, wholeAgain } from '../src/processes.ts'
import { findPrometheus } from '../src/prometheus.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '../src/socket.ts'

const mebibytes = 1024 ** 2
const settings = {
  PARLEY_NATS_STREAM_MAX_BYTES: '16 MiB',
  PARLEY_SMTP_MAILS_PER_HOUR: '4',
  PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true',
}

/** Settings with a VAPID key that no browser has subscribed with, and those that lead back to the keys of the fleet. */
function newKeys(): NodeJS.ProcessEnv {
  const keys = createECDH('prime256v1')
  const publicKey = keys.generateKeys('base64url')
  return { PARLEY_PUSH_VAPID_PUBLIC_KEY: publicKey, PARLEY_PUSH_VAPID_PRIVATE_KEY: keys.getPrivateKey('base64url') }
}
const previousKeys = { PARLEY_PUSH_VAPID_PUBLIC_KEY: undefined, PARLEY_PUSH_VAPID_PRIVATE_KEY: undefined }

const found = await findPrometheus()
const why = frozenWithGateway() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`alerts: not followed on a real fleet${why}`)

jest.setTimeout(900_000)

/** Each test follows the page of an alert: its fault, what confirms it, the step that mends it. */
withPrometheus(`a fleet whose alerts are watched${why}`, () => {
  let watched: WatchedFleet
  let owner: Person
  let ada: Person
  let bob: Person
  let roomId: string
  beforeAll(async () => {
    if (!('path' in found)) return
    watched = await startWatchedFleet(found.path, settings)
    ;[owner, ada, bob] = await Promise.all([theOwner(), newPerson('ada'), newPerson('bob')])
    roomId = await newRoom(owner, [ada, bob])
  })
  afterAll(async () => watched?.[Symbol.asyncDispose]())

  const fires = (alert: string) => watched.prometheus.fires(alert)
  const ends = (alert: string) => watched.prometheus.ends(alert)
  const logged = (service: string, line: string) =>
    eventually(() => expect(watched.logOf(service)).toContain(line), { timeoutMs: 60_000 })
  const shows = (query: string) => watched.prometheus.shows(query)

  test('ParleyProxyUntrusted: a proxy that is not configured', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    await using _ = repeating(200, () => fetch(`${fleet().gateways[0]}/`, { headers }))
    await fires('ParleyProxyUntrusted')
    await logged('gateway', 'requests come through a proxy that is not trusted')
    for (const service of ['gateway', 'uploads', 'realtime'])
      await watched.reconfigure(service, { PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.1' })
    await ends('ParleyProxyUntrusted')
  })

  test('ParleyMailsOverBudget: more registrations than mails', async () => {
    const register = async () => {
      const email = `${randomBytes(6).toString('hex')}@example.org`
      await postJson(`${fleet().gateways[0]}/auth/register`, { email })
      return email
    }
    for (let n = 0; n < 6; n++) await register()
    await fires('ParleyMailsOverBudget')
    await shows('sum(parley_accounts_mails_total{parley_outcome="over_budget"})')
    await watched.reconfigure('accounts', { PARLEY_SMTP_MAILS_PER_HOUR: '3000' })
    await mailTo(await register())
    await ends('ParleyMailsOverBudget')
  })

  test('ParleyPushesFail: other VAPID keys', async () => {
    const { room } = await bob.call(RoomService.method.startDM, { participantIds: [ada.userId] })
    await using service = await PushService.start()
    const { subscribe } = PushNotificationService.method
    for (let n = 0; n < 5; n++) await ada.call(subscribe, service.browser(`browser-${n}`))
    await using _ = repeating(500, () => post(bob, room?.id ?? '', 'are you there?'))
    const { publicKey } = await eventually(() => service.received[0]?.vapid ?? Promise.reject(new Error('no push')))
    service.answer = ({ vapid }) => ({ status: vapid.publicKey === publicKey ? 201 : 403 })
    await watched.reconfigure('notifications', newKeys())
    await fires('ParleyPushesFail')
    await shows('sum(rate(parley_push_pushes_total{parley_outcome="refused"}[5s]))')
    await shows('sum(rate(http_client_request_duration_seconds_count{http_response_status_code="403"}[5s]))')
    await watched.reconfigure('notifications', previousKeys)
    await ends('ParleyPushesFail')
    await shows('sum(rate(parley_push_pushes_total{parley_outcome="accepted"}[5s]))')
  })

  test('ParleySocketsLag: realtime nodes without enough processor time', async () => {
    const sockets = await Promise.all(fleet().realtimeNodes.map((node) => Socket.subscribed(node, ada.token)))
    await using _posting = repeating(100, () => post(bob, roomId, 'hello'))
    {
      // In turns: a frozen process cannot be scraped.
      await using _pausing = repeating(0, async () => {
        for (const { pid } of processesOf('realtime')) {
          using _ = frozen(pid)
          await sleep(2_600)
        }
      })
      await fires('ParleySocketsLag')
      await shows('max(nodejs_eventloop_delay_max_seconds{job="realtime"}) > 1')
    }
    await ends('ParleySocketsLag')
    sockets.forEach((socket) => socket[Symbol.dispose]())
  })

  test('ParleyEventsWait: NATS frozen', async () => {
    {
      using _ = frozen(serverPid('nats'))
      await operate(['owner', 'create', '--login', 'otto', '--password-stdin', '--direct'], 'a second owner of it')
      await fires('ParleyEventsWait')
      await logged('accounts', 'the bus does not answer; connecting again')
    }
    await ends('ParleyEventsWait')
    await wholeAgain()
  })

  test('ParleyDatabaseWaits and ParleyOverloaded: a locked table', async () => {
    const readers = await newReaders(roomId)
    const rooms = await Promise.all(Array.from({ length: 12 }, () => newRoom(owner, [bob])))
    await using lock = await lockTable('messaging', 'room_events')
    {
      await using _reading = reading(readers, roomId)
      await using _writing = allOf(rooms.map((room) => repeating(200, () => post(bob, room, 'hello'))))
      await Promise.all([fires('ParleyDatabaseWaits'), fires('ParleyOverloaded')])
      expect((await lock.waiting()).waits).toBeGreaterThan(0)
      await shows('max(parley_rpc_server_queue_waiting{parley_service="messaging"})')
      await lock.terminate()
    }
    await Promise.all([ends('ParleyDatabaseWaits'), ends('ParleyOverloaded')])
    await wholeAgain()
  })

  test('ParleyConsumerBehind, ParleyStreamFull and ParleyEventsLost: a consumer that stands still', async () => {
    await using lock = await lockTable('admin', 'audit_entries')
    for (let n = 0; n < 20; n++) await newRoom(owner)
    await fires('ParleyConsumerBehind')
    expect((await lock.waiting()).waits).toBeGreaterThan(0)
    await crowdStream(15 * mebibytes)
    await fires('ParleyStreamFull')
    // As if three days had passed, for which events are kept; it is noticed within five minutes.
    await using outbox = await databaseOf('messaging')
    await outbox.query(`update outbox set relayed_at = relayed_at - interval '73 hours' where relayed_at is not null`)
    await watched.prometheus.fires('ParleyEventsLost', 360_000)
    await logged('messaging', 'events left the stream before every consumer had handled them')
    await lock.terminate()
    await ends('ParleyConsumerBehind')
    await watched.reconfigure('admin', { PARLEY_NATS_STREAM_MAX_BYTES: '64 MiB' })
    await ends('ParleyStreamFull')
    await ends('ParleyEventsLost')
  })

  test('ParleyStreamCut: NATS returns with an empty store', async () => {
    const pid = serverPid('nats')
    process.kill(pid, 'SIGSTOP')
    rmSync(join(dataDirAt(watched.dataDir).nats, 'store'), { recursive: true })
    process.kill(pid, 'SIGKILL')
    await using _ = repeating(500, () => post(bob, roomId, 'after the loss'))
    await fires('ParleyStreamCut')
    await logged('messaging', 'the stream lost events; they are relayed again')
    await ends('ParleyStreamCut')
  })
})
