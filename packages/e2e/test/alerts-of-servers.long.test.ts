import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { MessageService, RoomService } from '@parley/contracts/api'
import { dataDirAt } from '@parley/local'
import { repeating } from '../src/alerts/repeating.ts'
import { startWatchedFleet, type WatchedFleet } from '../src/alerts/watched-fleet.ts'
import { sendFile } from '../src/files.ts'
import { fleet, frozenWithGateway, serverPid } from '../src/fleet.ts'
import { newPerson, type Person, theOwner } from '../src/people.ts'
import { frozen, processOf, wholeAgain } from '../src/processes.ts'
import { findPrometheus } from '../src/prometheus.ts'
import { parkAnEvent, readTooSlowly, withoutPostgres } from '../src/provoked-faults.ts'
import { lobbyId, newRoom } from '../src/rooms.ts'

const found = await findPrometheus()
const why = frozenWithGateway() ?? ('reason' in found ? ` (skipped: ${found.reason})` : '')
const withPrometheus = why === '' ? describe : describe.skip
if (why !== '') console.log(`alerts: not followed on a real fleet${why}`)

jest.setTimeout(600_000)

/** Each test follows the page of an alert: its fault, what confirms it, the step that mends it. */
withPrometheus(`a fleet whose alerts are watched${why}`, () => {
  let watched: WatchedFleet
  let owner: Person
  let bob: Person
  let roomId: string
  beforeAll(async () => {
    if (!('path' in found)) return
    watched = await startWatchedFleet(found.path, { PARLEY_PUSH_ALLOW_PRIVATE_ENDPOINTS: 'true' })
    ;[owner, bob] = await Promise.all([theOwner(), newPerson('bob')])
    roomId = await newRoom(owner, [bob])
  })
  afterAll(async () => watched?.[Symbol.asyncDispose]())

  const fires = (alert: string) => watched.prometheus.fires(alert)
  const ends = (alert: string) => watched.prometheus.ends(alert)
  const assets = () => dataDirAt(watched.dataDir).assets

  /** Posts a message with a file; returns its id and the address of the file. */
  async function postFile(text: string) {
    const attachmentAssetIds = [await sendFile(bob, roomId, text)]
    const { message } = await bob.call(MessageService.method.createMessage, { roomId, attachmentAssetIds })
    const { pathname, search } = new URL(message?.attachments[0]?.assetUrl?.url ?? '')
    return { eventId: message?.id ?? '', url: `${fleet().gateways[0]}${pathname}${search}` }
  }

  test('ParleyPresenceUnknown: Redis frozen', async () => {
    await using _ = repeating(500, () => bob.call(RoomService.method.listMembers, { roomId }))
    {
      using _frozen = frozen(serverPid('redis'))
      await fires('ParleyPresenceUnknown')
    }
    await ends('ParleyPresenceUnknown')
    await wholeAgain()
  })

  test('ParleyRoomsLeftBehind: messaging frozen', async () => {
    // The list of groups, in which newRoom looks otherwise, needs messaging.
    const groupId = await lobbyId(owner)
    {
      await using _ = repeating(500, () => newRoom(owner, [], { groupId }))
      using _frozen = frozen(processOf('messaging').pid)
      await fires('ParleyRoomsLeftBehind')
    }
    await ends('ParleyRoomsLeftBehind')
    await wholeAgain()
  })

  test('ParleyDatabaseNotReached: PostgreSQL stopped', async () => {
    await using _ = repeating(200, () => bob.call(RoomService.method.getRoomEvents, { roomId }))
    await withoutPostgres(() => fires('ParleyDatabaseNotReached'), '')
    await ends('ParleyDatabaseNotReached')
  })

  test('ParleySlowConsumers: clients that do not read', async () => {
    const reading = Array.from({ length: 14 }, () => readTooSlowly(bob.token, () => fires('ParleySlowConsumers')))
    await Promise.all(reading)
    await ends('ParleySlowConsumers')
  })

  test('ParleyEventsParked: a trigger that refuses a row', async () => {
    await parkAnEvent({ owner, bob }, (query) => watched.prometheus.shows(query, 400_000))
    await ends('ParleyEventsParked')
  })

  test('ParleyFilesWithoutBytes: a file taken away and brought back', async () => {
    const text = 'the bytes of a file that is taken away'
    const { url } = await postFile(text)
    const stored = readdirSync(assets(), { recursive: true, encoding: 'utf8' })
      .map((name) => join(assets(), name))
      .find((name) => isFileWith(name, text))
    if (stored === undefined) throw new Error('the file is not in the folder')
    await using _ = repeating(500, () => fetch(url))
    renameSync(stored, `${stored}.away`)
    await fires('ParleyFilesWithoutBytes')
    renameSync(`${stored}.away`, stored)
    expect((await fetch(url)).status).toBe(200)
    await ends('ParleyFilesWithoutBytes')
  })

  test('ParleyStorageNotOurs: a foreign identity', async () => {
    const { eventId } = await postFile('the bytes of a file of a deleted message')
    const identity = join(assets(), 'objects/identity')
    const own = readFileSync(identity)
    writeFileSync(identity, 'somebody else')
    await bob.call(MessageService.method.deleteMessage, { roomId, eventId })
    await fires('ParleyStorageNotOurs')
    expect(watched.logOf('uploads')).toContain('storage mismatch')
    writeFileSync(identity, own)
    await ends('ParleyStorageNotOurs')
  })
})

/** Whether a path is a file with this content. */
function isFileWith(path: string, content: string): boolean {
  try {
    return readFileSync(path, 'utf8') === content
  } catch {
    return false
  }
}
