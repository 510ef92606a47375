import { describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { EventSchema } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, enqueue, startRelay } from '../src/index.ts'
import { requeueForStream } from '../src/consume/requeue.ts'
import { shardOf } from '../src/outbox/shards.ts'
import { commit, firstOccurrences, readStream, plainEvent, waitUntilStored, oneTo, countWaiting } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

const eventsOf = async (prefix: string) => {
  return (await readStream(bus)).filter((event) => event.aggregateId.startsWith(prefix))
}

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

async function shardsPerHolder(database: TestDatabase): Promise<number[]> {
  const result = await database.pool.query<{ shards: bigint }>(
    "select count(*) as shards from outbox_leases where name like 'shard-%' and expires_at > now() group by holder",
  )
  return result.rows.map((row) => Number(row.shards)).sort()
}

async function countHolderChanges(database: TestDatabase): Promise<number> {
  const result = await database.pool.query<{ sum: string }>(
    "select sum(fence)::text as sum from outbox_leases where name like 'shard-%'",
  )
  return Number(result.rows[0]?.sum)
}

describe('the relay', () => {
  test('publishes every event, in order per aggregate, with 16 writers and two relays', async () => {
    await using database = await newDatabase()
    await using _one = await startRelay({ ...database, bus, service: 'order' })
    await using _two = await startRelay({ ...database, bus, service: 'order' })
    await eventually(async () => expect(await shardsPerHolder(database)).toEqual([4, 4]))
    const holderChangesBefore = await countHolderChanges(database)
    const rooms = oneTo(40).map((number) => `order${number}`)
    const versions = new Map(rooms.map((room) => [room, 0]))
    let written = 0
    const write = async () => {
      while (written < 1000) {
        const room = rooms[written++ % rooms.length] ?? ''
        await database.db.transaction(async (tx) => {
          await tx.execute(`select pg_advisory_xact_lock(hashtext('${room}'))`)
          const version = (versions.get(room) ?? 0) + 1
          versions.set(room, version)
          await enqueue(tx, plainEvent(room, version))
        })
      }
    }
    await Promise.all(oneTo(16).map(write))
    await eventually(async () => expect(await countWaiting(database)).toBe(0))
    const events = await eventsOf('order')
    expect(new Set(events.map(({ id }) => id)).size).toBe(1000)
    // A relay that could not renew its leases in time may have sent entries that another relay sends again.
    if ((await countHolderChanges(database)) === holderChangesBefore) expect(events).toHaveLength(1000)
    const versionsByRoom = firstOccurrences(events)
    expect(versionsByRoom.size).toBe(40)
    for (const versions of versionsByRoom.values()) expect(versions).toEqual(oneTo(25))
  })

  test('advances its low watermark past relayed entries, but not past ids that may still be committed', async () => {
    await using database = await newDatabase()
    const { pool } = database
    /** The id from which the relay last started to read. */
    let from = 0n
    const query = pool.query.bind(pool) as (text: string, values: unknown[]) => Promise<unknown>
    const watched: typeof pool = Object.assign(Object.create(pool), {
      query(text: string, values: unknown[]) {
        if (text.includes('pg_current_snapshot')) from = values[3] as bigint
        return query(text, values)
      },
    })
    await using relay = await startRelay({ ...database, pool: watched, bus, service: 'behind' })
    const other = await pool.connect()
    try {
      await other.query('begin')
      await other.query('set local idle_in_transaction_session_timeout = 0')
      await other.query('select pg_current_xact_id()')
      const { rows } = await other.query<{ id: bigint }>("select nextval('outbox_id_seq') as id")
      const drawn = rows[0]?.id ?? 0n
      let version = 0
      let last = 0n
      const write = async () => {
        const ids = await commit(database, 'behind1', [++version])
        await waitUntilStored(relay, ids)
        last = ids[0] ?? 0n
      }
      for (let n = 0; n < 20; n++) await write()
      expect(last).toBeGreaterThan(drawn)
      expect(from).toBeLessThanOrEqual(drawn)
      await other.query('commit')
      const relayed = last
      await eventually(async () => {
        await write()
        expect(from).toBeGreaterThanOrEqual(relayed)
      })
    } finally {
      other.release(true)
    }
  })

  test('puts up to 64 consecutive events of one aggregate and kind into one message', async () => {
    await using database = await newDatabase()
    const before = (await (await bus.nc.jetstreamManager()).streams.info('EVENTS')).state.last_seq
    await commit(database, 'batch1', oneTo(100))
    await commit(database, 'batch1', [101], 'room_archived')
    await commit(database, 'batch1', [102])
    await using _relay = await startRelay({ ...database, bus, service: 'batch' })
    await eventually(async () => expect(await countWaiting(database)).toBe(0))
    expect(firstOccurrences(await eventsOf('batch')).get('batch1')).toEqual(oneTo(102))
    const after = (await (await bus.nc.jetstreamManager()).streams.info('EVENTS')).state.last_seq
    expect(after - before).toBe(4)
  })

  test('divides the shards among its processes, and takes over those of processes that stop', async () => {
    await using database = await newDatabase()
    await using _one = await startRelay({ ...database, bus, service: 'share' })
    await eventually(async () => expect(await shardsPerHolder(database)).toEqual([8]))
    {
      await using _two = await startRelay({ ...database, bus, service: 'share' })
      await using _three = await startRelay({ ...database, bus, service: 'share' })
      await eventually(async () => expect(await shardsPerHolder(database)).toEqual([2, 3, 3]))
    }
    await eventually(async () => expect(await shardsPerHolder(database)).toEqual([8]))
  })

  test('publishes the entries of a new database, although those of an earlier database had the same ids', async () => {
    for (const room of ['again1', 'again2']) {
      await using database = await newDatabase()
      await using relay = await startRelay({ ...database, bus, service: 'again' })
      await waitUntilStored(relay, await commit(database, room, [1]))
      expect(await eventsOf(room)).toHaveLength(1)
    }
  })

  test('parks an event that the stream refuses permanently, replaces it, and continues', async () => {
    await using database = await newDatabase()
    const [, id] = await commit(database, 'refused1', [1, 2, 3])
    // Larger than the server accepts. `enqueue` refuses such an event, so the row is changed directly.
    await database.pool.query('update outbox set payload = $2 where id = $1', [id, Buffer.alloc(3_000_000)])
    await using _relay = await startRelay({ ...database, bus, service: 'refused' })
    await eventually(async () => expect(await countWaiting(database)).toBe(0))
    const events = await eventsOf('refused')
    expect(events.map((event) => [event.id, event.kind])).toEqual([
      ['E-refused1-1', 'room_updated'],
      ['E-refused1-2', 'skipped'],
      ['E-refused1-3', 'room_updated'],
    ])
    const parked = await database.pool.query('select consumer, event_id, length(payload) as size from parked_events')
    expect(parked.rows).toEqual([{ consumer: 'relay', event_id: 'E-refused1-2', size: 3_000_000 }])

    await using _next = await startRelay({ ...database, bus, service: 'refused' })
    await eventually(async () =>
      expect(await metricsText()).toContain(
        'parley_consumer_parked_waiting{parley_service="refused",messaging_consumer_group_name="relay"} 1',
      ),
    )
    const operator = operatorOf(database.db)
    expect(await operator.replayParkedEvents({})).toMatchObject({ requested: 1 })
    await eventually(async () => expect((await operator.listParkedEvents({})).events).toHaveLength(1))
    const about = { id: 'E-refused1-2', kind: 'room_updated', aggregateType: 'room', aggregateId: 'refused1' }
    const event = Buffer.from(toBinary(EventSchema, create(EventSchema, about)))
    await database.pool.query('update parked_events set payload = $1', [event])
    await operator.replayParkedEvents({ eventIds: ['E-refused1-2'] })
    await eventually(async () => {
      expect((await eventsOf('refused')).at(-1)).toMatchObject({ id: 'E-refused1-2', kind: 'room_updated' })
    })
    expect((await operator.listParkedEvents({})).events).toEqual([])
  })
})

test('a requeued control event belongs to its aggregate again', async () => {
  await using database = await newDatabase()
  const subject = 'evt.control.user.U1.credentials_ended'
  const entry = { eventId: 'E-control', subject, payload: Buffer.from('event') }
  await database.db.transaction((tx) => requeueForStream(tx, [entry]))
  const requeued = await database.pool.query('select aggregate, shard from outbox')
  expect(requeued.rows).toEqual([{ aggregate: 'user.U1', shard: shardOf('user.U1') }])
})

describe('relay.waitUntilStored', () => {
  test('resolves once the stream has the entries, regardless of the process that relays them', async () => {
    await using database = await newDatabase()
    await using one = await startRelay({ ...database, bus, service: 'stored' })
    await using two = await startRelay({ ...database, bus, service: 'stored' })
    await eventually(async () => expect(await shardsPerHolder(database)).toHaveLength(2))
    for (const room of oneTo(20).map((number) => `stored${number}`)) {
      const ids = await commit(database, room, [1, 2])
      await Promise.all([waitUntilStored(one, ids), waitUntilStored(two, ids)])
      expect(firstOccurrences(await eventsOf(room)).get(room)).toEqual([1, 2])
    }
  })

  test('rejects with unavailable while the stream is down, and can be called again', async () => {
    await using database = await newDatabase()
    await using own = await newServer()
    await using ownBus = await newBus(own)
    await declareStreams(ownBus)
    await using relay = await startRelay({ ...database, bus: ownBus, service: 'away' })
    await waitUntilStored(relay, await commit(database, 'away1', [1]))
    await own.stop()
    const ids = await commit(database, 'away1', [2])
    const failure: unknown = await relay.waitUntilStored(ids).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectError)
    expect(failure).toMatchObject({ code: Code.Unavailable })
    await own.start()
    await eventually(() => relay.waitUntilStored(ids))
  })

  test('resolves for entries that no longer exist', async () => {
    await using database = await newDatabase()
    await using relay = await startRelay({ ...database, bus, service: 'gone' })
    await relay.waitUntilStored([999_999n])
  })
})

test('onPeerGone calls its listener when another process has ended, but not when one starts', async () => {
  await using database = await newDatabase()
  await using stays = await startRelay({ ...database, bus, service: 'peers' })
  let gone = 0
  using _listening = stays.onPeerGone(() => void gone++)
  await eventually(async () => expect(await shardsPerHolder(database)).toEqual([8]))
  {
    await using _leaves = await startRelay({ ...database, bus, service: 'peers' })
    await eventually(async () => expect(await shardsPerHolder(database)).toEqual([4, 4]))
    expect(gone).toBe(0)
  }
  await eventually(() => expect(gone).toBe(1))
})

test('entries committed during an outage of the stream are stored in order afterwards', async () => {
  await using database = await newDatabase()
  await using own = await newServer()
  await using ownBus = await newBus(own)
  await declareStreams(ownBus)
  await using relay = await startRelay({ ...database, bus: ownBus, service: 'down' })
  await waitUntilStored(relay, await commit(database, 'down1', [1]))
  await own.stop()
  for (const version of oneTo(30).slice(1)) relay.wake(await commit(database, 'down1', [version]))
  await commit(database, 'down2', oneTo(5))
  await own.start()
  await eventually(async () => expect(await countWaiting(database)).toBe(0))
  const versionsByRoom = firstOccurrences(await readStream(ownBus))
  expect(versionsByRoom.get('down1')).toEqual(oneTo(30))
  expect(versionsByRoom.get('down2')).toEqual(oneTo(5))
})
