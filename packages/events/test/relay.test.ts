import { describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { EventSchema } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { metricsText } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, enqueue, startRelay } from '../src/index.ts'
import { commit, firstOccurrences, onStream, plainEvent, store, upTo, waiting } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { newBus, newDatabase, newServer, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

/** Events of the aggregates whose id starts so. */
const streamOf = async (prefix: string) => {
  return (await onStream(bus)).filter((event) => event.aggregateId.startsWith(prefix))
}

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

/** Number of shards that each of several relays holds. */
async function holders(database: TestDatabase): Promise<number[]> {
  const result = await database.pool.query<{ shards: bigint }>(
    "select count(*) as shards from outbox_leases where name like 'shard-%' and expires_at > now() group by holder",
  )
  return result.rows.map((row) => Number(row.shards)).sort()
}

/** How often shards changed their holder. */
async function handovers(database: TestDatabase): Promise<number> {
  const result = await database.pool.query<{ sum: string }>(
    "select sum(fence)::text as sum from outbox_leases where name like 'shard-%'",
  )
  return Number(result.rows[0]?.sum)
}

describe('the relay', () => {
  test('publishes events once and in order for each aggregate, with 16 writers and two relays', async () => {
    await using database = await newDatabase()
    await using _one = await startRelay({ ...database, bus, service: 'order' })
    await using _two = await startRelay({ ...database, bus, service: 'order' })
    await eventually(async () => expect(await holders(database)).toEqual([4, 4]))
    const handoversBefore = await handovers(database)
    const rooms = upTo(40).map((number) => `order${number}`)
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
    await Promise.all(upTo(16).map(write))
    await eventually(async () => expect(await waiting(database)).toBe(0))
    const events = await streamOf('order')
    expect(new Set(events.map(({ id }) => id)).size).toBe(1000)
    // A relay that could not renew its leases in time leaves entries that it may have sent to another.
    if ((await handovers(database)) === handoversBefore) expect(events).toHaveLength(1000)
    const lines = firstOccurrences(events)
    expect(lines.size).toBe(40)
    for (const line of lines.values()) expect(line).toEqual(upTo(25))
  })

  test('starts reading after relayed entries that a backup protects from vacuum, but before anything that may still be committed', async () => {
    await using database = await newDatabase()
    const { pool } = database
    /** Where the relay last started to read. */
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
        await store(relay, ids)
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

  test('puts consecutive events of one aggregate and kind into one message', async () => {
    await using database = await newDatabase()
    const before = (await (await bus.nc.jetstreamManager()).streams.info('EVENTS')).state.last_seq
    await commit(database, 'batch1', upTo(100))
    await commit(database, 'batch1', [101], 'room_archived')
    await commit(database, 'batch1', [102])
    await using _relay = await startRelay({ ...database, bus, service: 'batch' })
    await eventually(async () => expect(await waiting(database)).toBe(0))
    expect(firstOccurrences(await streamOf('batch')).get('batch1')).toEqual(upTo(102))
    const after = (await (await bus.nc.jetstreamManager()).streams.info('EVENTS')).state.last_seq
    expect(after - before).toBe(4)
  })

  test('shares the shards between processes, and releases them', async () => {
    await using database = await newDatabase()
    await using _one = await startRelay({ ...database, bus, service: 'share' })
    await eventually(async () => expect(await holders(database)).toEqual([8]))
    {
      await using _two = await startRelay({ ...database, bus, service: 'share' })
      await using _three = await startRelay({ ...database, bus, service: 'share' })
      await eventually(async () => expect(await holders(database)).toEqual([2, 3, 3]))
    }
    await eventually(async () => expect(await holders(database)).toEqual([8]))
  })

  test('entries of a new database with the same numbers are not mistaken for duplicates', async () => {
    for (const room of ['again1', 'again2']) {
      await using database = await newDatabase()
      await using relay = await startRelay({ ...database, bus, service: 'again' })
      await store(relay, await commit(database, room, [1]))
      expect(await streamOf(room)).toHaveLength(1)
    }
  })

  test('skips and parks events that the stream refuses permanently, and continues', async () => {
    await using database = await newDatabase()
    const [, id] = await commit(database, 'refused1', [1, 2, 3])
    // Larger than the server accepts. `enqueue` refuses such an entry, so it is inserted directly.
    await database.pool.query('update outbox set payload = $2 where id = $1', [id, Buffer.alloc(3_000_000)])
    await using _relay = await startRelay({ ...database, bus, service: 'refused' })
    await eventually(async () => expect(await waiting(database)).toBe(0))
    const events = await streamOf('refused')
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
    // Refused again, once per request.
    await eventually(async () => expect((await operator.listParkedEvents({})).events).toHaveLength(1))
    const about = { id: 'E-refused1-2', kind: 'room_updated', aggregateType: 'room', aggregateId: 'refused1' }
    const event = Buffer.from(toBinary(EventSchema, create(EventSchema, about)))
    await database.pool.query('update parked_events set payload = $1', [event])
    await operator.replayParkedEvents({ eventIds: ['E-refused1-2'] })
    await eventually(async () => {
      expect((await streamOf('refused')).at(-1)).toMatchObject({ id: 'E-refused1-2', kind: 'room_updated' })
    })
    expect((await operator.listParkedEvents({})).events).toEqual([])
  })
})

describe('stored', () => {
  test('resolves once the stream has the entries, whichever process relays them', async () => {
    await using database = await newDatabase()
    await using one = await startRelay({ ...database, bus, service: 'stored' })
    await using two = await startRelay({ ...database, bus, service: 'stored' })
    await eventually(async () => expect(await holders(database)).toHaveLength(2))
    for (const room of upTo(20).map((number) => `stored${number}`)) {
      const ids = await commit(database, room, [1, 2])
      await Promise.all([store(one, ids), store(two, ids)])
      expect(firstOccurrences(await streamOf(room)).get(room)).toEqual([1, 2])
    }
  })

  test('fails with unavailable while the stream is down, and a retry waits again', async () => {
    await using database = await newDatabase()
    await using own = await newServer()
    await using ownBus = await newBus(own)
    await declareStreams(ownBus)
    await using relay = await startRelay({ ...database, bus: ownBus, service: 'away' })
    await store(relay, await commit(database, 'away1', [1]))
    await own.stop()
    const ids = await commit(database, 'away1', [2])
    const failure: unknown = await relay.stored(ids).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConnectError)
    expect(failure).toMatchObject({ code: Code.Unavailable })
    await own.start()
    await eventually(() => relay.stored(ids))
  })

  test('entries that no longer exist count as stored', async () => {
    await using database = await newDatabase()
    await using relay = await startRelay({ ...database, bus, service: 'gone' })
    await relay.stored([999_999n])
  })
})

test('a relay is notified when another process has ended, but not of new ones', async () => {
  await using database = await newDatabase()
  await using stays = await startRelay({ ...database, bus, service: 'peers' })
  let gone = 0
  using _hearing = stays.onPeerGone(() => void gone++)
  await eventually(async () => expect(await holders(database)).toEqual([8]))
  {
    await using _leaves = await startRelay({ ...database, bus, service: 'peers' })
    await eventually(async () => expect(await holders(database)).toEqual([4, 4]))
    expect(gone).toBe(0)
  }
  await eventually(() => expect(gone).toBe(1))
})

test('entries committed during an outage of the stream arrive, in order', async () => {
  await using database = await newDatabase()
  await using own = await newServer()
  await using ownBus = await newBus(own)
  await declareStreams(ownBus)
  await using relay = await startRelay({ ...database, bus: ownBus, service: 'down' })
  await store(relay, await commit(database, 'down1', [1]))
  await own.stop()
  for (const version of upTo(30).slice(1)) relay.wake(await commit(database, 'down1', [version]))
  await commit(database, 'down2', upTo(5))
  await own.start()
  await eventually(async () => expect(await waiting(database)).toBe(0))
  const lines = firstOccurrences(await onStream(ownBus))
  expect(lines.get('down1')).toEqual(upTo(30))
  expect(lines.get('down2')).toEqual(upTo(5))
})
