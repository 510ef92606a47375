import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { dataDirAt } from '@parley/local'
import { freeze } from '@parley/testkit'
import { repeatUntilDisposed } from '../src/alerts/repeat-until-disposed.ts'
import { startWatchedFleet, type WatchedFleet } from '../src/alerts/watched-fleet.ts'
import { sendFile } from '../src/files.ts'
import { fleet, reasonNotToFreeze, serverPid } from '../src/fleet.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import { processOf, waitUntilHealthy } from '../src/processes.ts'
import { findPrometheus } from '../src/prometheus.ts'
import { parkAnEvent, readTooSlowly, withoutPostgres } from '../src/provoked-faults.ts'
import { lobbyId, newRoom } from '../src/rooms.ts'

const found = await findPrometheus()
const why = reasonNotToFreeze() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`alerts about servers on a real fleet: not tested${why}`)

jest.setTimeout(600_000)

withPrometheus(
  `alerts about servers, slow clients, parked events and files fire during their fault and end after its remedy${why}`,
  () => {
    let watched: WatchedFleet
    let owner: Person
    let bob: Person
    let roomId: string
    beforeAll(async () => {
      if (!('path' in found)) return
      watched = await startWatchedFleet(found.path, { PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true' })
      ;[owner, bob] = await Promise.all([signInOwner(), newPerson('bob')])
      roomId = await newRoom(owner, [bob])
    })
    afterAll(async () => watched?.[Symbol.asyncDispose]())

    const waitUntilFiring = (alert: string) => watched.prometheus.waitUntilFiring(alert)
    const waitUntilResolved = (alert: string) => watched.prometheus.waitUntilResolved(alert)
    const assets = () => dataDirAt(watched.dataDir).assets

    async function postFile(text: string) {
      const attachmentAssetIds = [await sendFile(bob, roomId, text)]
      const { message } = await bob.call(MessageService.method.createMessage, { roomId, attachmentAssetIds })
      const { pathname, search } = new URL(message?.attachments[0]?.assetUrl?.url ?? '')
      return { eventId: message?.id ?? '', url: `${fleet().gateways[0]}${pathname}${search}` }
    }

    test('ParleyPresenceUnknown: Redis frozen', async () => {
      await using _ = repeatUntilDisposed(500, () => bob.call(RoomService.method.listMembers, { roomId }))
      {
        using _frozen = freeze(serverPid('redis'))
        await waitUntilFiring('ParleyPresenceUnknown')
      }
      await waitUntilResolved('ParleyPresenceUnknown')
      await waitUntilHealthy()
    })

    test('ParleyRoomsLeftBehind: messaging frozen', async () => {
      // Without this id, newRoom would list the groups, and that needs messaging.
      const groupId = await lobbyId(owner)
      {
        await using _ = repeatUntilDisposed(500, () => newRoom(owner, [], { groupId }))
        using _frozen = freeze(processOf('messaging').pid)
        await waitUntilFiring('ParleyRoomsLeftBehind')
      }
      await waitUntilResolved('ParleyRoomsLeftBehind')
      await waitUntilHealthy()
    })

    test('ParleyDatabaseNotReached: PostgreSQL stopped', async () => {
      await using _ = repeatUntilDisposed(200, () => bob.call(RoomService.method.getRoomEvents, { roomId }))
      await withoutPostgres(() => waitUntilFiring('ParleyDatabaseNotReached'), '')
      await waitUntilResolved('ParleyDatabaseNotReached')
    })

    test('ParleySlowConsumers: clients that do not read', async () => {
      const reading = Array.from({ length: 14 }, () =>
        readTooSlowly(bob.token, () => waitUntilFiring('ParleySlowConsumers')),
      )
      await Promise.all(reading)
      await waitUntilResolved('ParleySlowConsumers')
    })

    test('ParleyEventsParked: a trigger that refuses a row', async () => {
      await parkAnEvent({ owner, bob }, (query) => watched.prometheus.waitUntilAboveZero(query, 400_000))
      await waitUntilResolved('ParleyEventsParked')
    })

    test('ParleyFilesWithoutBytes: a file removed from the storage and restored', async () => {
      const text = 'the bytes of a file that is removed'
      const { url } = await postFile(text)
      const stored = readdirSync(assets(), { recursive: true, encoding: 'utf8' })
        .map((name) => join(assets(), name))
        .find((name) => isFileWith(name, text))
      if (stored === undefined) throw new Error('the file is not in the folder')
      await using _ = repeatUntilDisposed(500, () => fetch(url))
      renameSync(stored, `${stored}.away`)
      await waitUntilFiring('ParleyFilesWithoutBytes')
      renameSync(`${stored}.away`, stored)
      expect((await fetch(url)).status).toBe(200)
      await waitUntilResolved('ParleyFilesWithoutBytes')
    })

    test('ParleyStorageNotOurs: a storage with another identity', async () => {
      const { eventId } = await postFile('the bytes of a file of a deleted message')
      const identity = join(assets(), 'objects/identity')
      const original = readFileSync(identity)
      writeFileSync(identity, 'somebody else')
      await bob.call(MessageService.method.deleteMessage, { roomId, eventId })
      await waitUntilFiring('ParleyStorageNotOurs')
      expect(watched.logOf('uploads')).toContain('storage mismatch')
      writeFileSync(identity, original)
      await waitUntilResolved('ParleyStorageNotOurs')
    })
  },
)

function isFileWith(path: string, content: string): boolean {
  try {
    return readFileSync(path, 'utf8') === content
  } catch {
    return false
  }
}
