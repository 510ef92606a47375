import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { MessageService, MyAccountService, RoomService, VoiceCallService } from '@parley/contracts/api'
import { dataDirAt, repositoryRoot } from '@parley/local'
import { eventually, freeze } from '@parley/testkit'
import { disposeTogether, repeatUntilDisposed } from '../src/alerts/repeat-until-disposed.ts'
import { realtimeReaders, silenceReaders } from '../src/alerts/silent-readers.ts'
import { startWatchedFleet, type WatchedFleet } from '../src/alerts/watched-fleet.ts'
import { databaseOf } from '../src/databases.ts'
import { sendFile } from '../src/files.ts'
import { fleet, reasonNotToFreeze } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { mediaServerSettings, startMediaServer } from '../src/media-server.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { processOf, waitUntilHealthy } from '../src/processes.ts'
import { findPrometheus } from '../src/prometheus.ts'
import { newRoom, post } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const found = await findPrometheus()
const why = reasonNotToFreeze() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`alerts about processes on a real fleet: not tested${why}`)

jest.setTimeout(600_000)

withPrometheus(
  `alerts about processes, calls and deletions fire during their fault and end after its remedy${why}`,
  () => {
    let watched: WatchedFleet
    let owner: Person
    let ada: Person
    let bob: Person
    let roomId: string
    beforeAll(async () => {
      if (!('path' in found)) return
      watched = await startWatchedFleet(found.path, await mediaServerSettings())
      ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
      roomId = await newRoom(owner, [ada, bob])
    })
    afterAll(async () => watched?.[Symbol.asyncDispose]())

    const waitUntilFiring = (alert: string, timeoutMs?: number) => watched.prometheus.waitUntilFiring(alert, timeoutMs)
    const waitUntilResolved = (alert: string) => watched.prometheus.waitUntilResolved(alert)
    const waitUntilAboveZero = (query: string) => watched.prometheus.waitUntilAboveZero(query)
    const waitForLogLine = (service: string, line: string) =>
      eventually(() => expect(watched.logOf(service)).toContain(line))

    test('ParleyServiceGone: a process frozen', async () => {
      await waitUntilAboveZero('target_info{job="notifications"}')
      {
        using _ = freeze(processOf('notifications').pid)
        await waitUntilFiring('ParleyServiceGone')
        await waitUntilAboveZero('up{job="notifications"} == bool 0')
      }
      await waitUntilResolved('ParleyServiceGone')
      await waitUntilHealthy()
    })

    test('ParleyMediaServerFails: no media server', async () => {
      const { joinCall, leaveCall } = VoiceCallService.method
      await using _ = repeatUntilDisposed(500, async () => {
        await bob.call(joinCall, { roomId })
        await bob.call(leaveCall, { roomId })
      })
      await waitUntilFiring('ParleyMediaServerFails')
      await waitForLogLine('calls', 'a request to the media server failed')
      await waitUntilAboveZero(
        'sum(rate(http_client_request_duration_seconds_count{parley_peer="media",error_type!=""}[10s]))',
      )
      await using _mediaServer = await startMediaServer()
      await waitUntilResolved('ParleyMediaServerFails')
    })

    test('ParleyErasureFails: a table renamed', async () => {
      const zed = await newPerson('zed')
      await using database = await databaseOf('notifications')
      await database.query('alter table notifications rename to notifications_away')
      const { requestAccountDeletion, deleteMyAccount } = MyAccountService.method
      const { confirmationToken } = await zed.call(requestAccountDeletion, {})
      await zed.call(deleteMyAccount, { confirmationToken })
      await waitUntilFiring('ParleyErasureFails')
      await waitForLogLine('notifications', 'erasing an account failed; it will be retried')
      await using accounts = await databaseOf('accounts')
      const { rows } = await accounts.query<{ user_id: string; reported: string[] }>(statementOfUnfinishedDeletions())
      expect(rows).toEqual([
        {
          user_id: zed.userId,
          ...{ pass: expect.any(Number), requested_at: expect.any(Date) },
          reported: expect.not.arrayContaining([expect.stringContaining('notifications')]),
        },
      ])
      await database.query('alter table notifications_away rename to notifications')
      await waitUntilResolved('ParleyErasureFails')
    })

    test('ParleyRequestsFail: accounts frozen', async () => {
      const signIn = () => postJson(`${fleet().gateways[0]}/auth/login`, { login: 'nobody', password: 'wrong' })
      {
        await using _ = disposeTogether(Array.from({ length: 12 }, () => repeatUntilDisposed(500, signIn)))
        using _frozen = freeze(processOf('accounts').pid)
        await waitUntilFiring('ParleyRequestsFail')
      }
      await waitUntilResolved('ParleyRequestsFail')
      await waitUntilHealthy()
    })

    test('ParleyRequestsFail: a plain file in place of the storage folder', async () => {
      const attachmentAssetIds = [await sendFile(bob, roomId, 'the bytes of a file')]
      const { message } = await bob.call(MessageService.method.createMessage, { roomId, attachmentAssetIds })
      const { pathname, search } = new URL(message?.attachments[0]?.assetUrl?.url ?? '')
      const url = `${fleet().gateways[0]}${pathname}${search}`
      const { assets } = dataDirAt(watched.dataDir)
      await using _ = repeatUntilDisposed(200, () => fetch(url))
      renameSync(assets, `${assets}.away`)
      writeFileSync(assets, '')
      await waitUntilFiring('ParleyRequestsFail')
      expect((await fetch(url)).status).toBe(503)
      await waitForLogLine('uploads', 'the storage failed')
      rmSync(assets)
      renameSync(`${assets}.away`, assets)
      await waitUntilResolved('ParleyRequestsFail')
      expect((await fetch(url)).status).toBe(200)
    })

    test('ParleySocketsSilent: a node whose consumer delivers nothing', async () => {
      const node = fleet().realtimeNodes[0]
      const others = await realtimeReaders()
      await watched.restart('realtime', 0)
      using silent = await eventually(() => Socket.subscribe(node, ada.token))
      const own = (await realtimeReaders()).filter((name) => !others.includes(name))
      await using _ = repeatUntilDisposed(200, () => post(bob, roomId, 'hello'))
      await silent.waitFor(({ event }) => event.case === 'messagePosted')
      await using _silence = await silenceReaders(own)
      await waitUntilFiring('ParleySocketsSilent')
      await watched.restart('realtime', 0)
      using again = await eventually(() => Socket.subscribe(node, ada.token))
      await again.waitForMessage(await post(bob, roomId, 'after the restart'))
      await waitUntilResolved('ParleySocketsSilent')
    })

    test('ParleyEventLoopBusy: a process frozen again and again', async () => {
      const { getRoomEvents } = RoomService.method
      {
        // With an idle process the measured delays are too imprecise.
        await using _reading = disposeTogether(
          Array.from({ length: 8 }, () => repeatUntilDisposed(0, () => bob.call(getRoomEvents, { roomId }))),
        )
        await using _pausing = repeatUntilDisposed(300, async () => {
          using _ = freeze(processOf('messaging').pid)
          await sleep(400)
        })
        await waitUntilFiring('ParleyEventLoopBusy', 300_000)
        await waitUntilAboveZero('nodejs_eventloop_delay_max_seconds{job="messaging"} > 0.3')
      }
      await waitUntilResolved('ParleyEventLoopBusy')
    })

    test('ParleyStreamCopiesMissing: more copies than NATS servers', async () => {
      await watched.reconfigure('admin', { PARLEY_NATS_STREAM_REPLICAS: '3' })
      await waitUntilFiring('ParleyStreamCopiesMissing')
      await waitForLogLine('admin', 'NATS has too few servers for the copies of the stream of events')
      await watched.reconfigure('admin', { PARLEY_NATS_STREAM_REPLICAS: '1' })
      await waitUntilResolved('ParleyStreamCopiesMissing')
    })
  },
)

function statementOfUnfinishedDeletions(): string {
  const page = readFileSync(join(repositoryRoot(), 'docs/accounts-and-deletion.md'), 'utf8')
  const [, statement = ''] = /## Looking at a deletion\n+```sql\n([^`]+)```/.exec(page) ?? []
  return statement
}
