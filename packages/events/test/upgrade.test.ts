import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { freePort, moveStreamToItsAccount, startNats } from '@parley/local/infrastructure'
import { connectBus } from '@parley/rpc'
import { eventually } from '@parley/tooling/eventually'
import { consumeEvents, declareStreams, followEvents, keepStream, startRelay } from '../src/index.ts'
import { requestKeeper } from '../src/keep/requests.ts'
import { commit, firstOccurrences, readStream, waitUntilStored, oneTo, countWaiting } from './_events.ts'
import { newDatabase } from './_servers.ts'

const conf = fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url))
const users = [
  'gateway',
  'realtime',
  'accounts',
  'rooms',
  'messaging',
  'admin',
  'uploads',
  'notifications',
  'calls',
  'operator',
]
const env = Object.fromEntries(
  users.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, `password-of-${user}`]),
)

test('the stream of a NATS server without accounts moves to the account for events; no event is lost or handled again', async () => {
  await using database = await newDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'parley-upgrade-'))
  const port = await freePort()
  const handled: string[] = []
  const consume = (bus: Awaited<ReturnType<typeof connectBus>>, service: string, durable: string, into: string[]) =>
    consumeEvents({
      db: database.db,
      bus,
      service,
      durable,
      subject: 'evt.room.>',
      on: async ({ id }) => void into.push(id),
    })
  let server = await startNats({ dir, port })
  {
    await using bus = await connectBus({ url: server.url, name: 'admin', purpose: 'events' })
    await using _keeper = await keepStream(bus)
    await declareStreams(bus)
    await using relay = await startRelay({ ...database, bus, service: 'messaging' })
    await using _consumer = await consume(bus, 'rooms', 'people', handled)
    await waitUntilStored(relay, await commit(database, 'room1', oneTo(5)))
    await eventually(() => expect(handled).toHaveLength(5))
    // The service of this durable runs only after the upgrade.
    await requestKeeper(bus, 'durable', { durable: 'rooms', subject: 'evt.room.>', anew: false }, 'notifications')
    await eventually(async () => expect(await countWaiting(database)).toBe(0))
  }
  await server.stop()
  await commit(database, 'room1', [6])

  expect(moveStreamToItsAccount(join(dir, 'store'))).toBe(true)
  expect(moveStreamToItsAccount(join(dir, 'store'))).toBe(false)
  server = await startNats({ dir, port, conf, env })
  try {
    const as = (name: string) =>
      connectBus({ url: server.url, user: name, password: `password-of-${name}`, name, purpose: 'events' })
    await using admin = await as('admin')
    await using messaging = await as('messaging')
    await using rooms = await as('rooms')
    await using notifications = await as('notifications')
    await using realtime = await as('realtime')
    await using _keeper = await keepStream(admin)
    let resets = 0
    const followed: string[] = []
    await using _follower = await followEvents({
      bus: realtime,
      subject: 'evt.>',
      onEvents: (events) => void followed.push(...events.map(({ id }) => id)),
      onReset: () => void resets++,
    })
    await using _relay = await startRelay({ ...database, bus: messaging, service: 'messaging' })
    await using _people = await consume(rooms, 'rooms', 'people', handled)
    const late: string[] = []
    await using _late = await consume(notifications, 'notifications', 'rooms', late)
    await eventually(() => expect(late.toSorted()).toEqual(oneTo(6).map((version) => `E-room1-${version}`)))
    await eventually(() => expect(handled.toSorted()).toEqual(oneTo(6).map((version) => `E-room1-${version}`)))
    await eventually(() => expect(followed).toEqual(['E-room1-6']))
    expect(resets).toBe(0)
    // A relay that took the moved stream for a new one would have published entries again.
    expect((await readStream(admin)).map(({ id }) => id)).toEqual(oneTo(6).map((version) => `E-room1-${version}`))
    expect(firstOccurrences(await readStream(admin)).get('room1')).toEqual(oneTo(6))
  } finally {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}, 300_000)
