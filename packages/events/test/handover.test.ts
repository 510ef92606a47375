import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { RoomEventSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { handOver, startHandOver } from '../src/index.ts'
import { upTo } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { forkProgram } from './_processes.ts'
import { newDatabase } from './_servers.ts'

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

const pauses = { firstMs: 1, maxMs: 5 }
/** The interval never elapses, so rooms are handed over only when announced. */
const pollMs = 3_600_000
const envelope = new TextEncoder().encode('what clients hear')

/** Commits events of a call. */
const commit = (database: TestDatabase, roomId: string, versions: number[]): Promise<void> =>
  database.db.transaction((tx) =>
    handOver(
      tx,
      roomId,
      versions.map((version) => ({
        aggregateType: 'call',
        aggregateId: `${roomId}-call`,
        version: BigInt(version),
        eventId: `${roomId}-${version}`,
        kind: 'call_participant_joined',
        envelope,
        fact: { case: 'call', value: { callId: `${roomId}-call`, userId: 'U1', source: 'user' } },
      })),
    ),
  )

const rowsIn = async (database: TestDatabase, table: string): Promise<unknown[]> => {
  const { rows } = await database.pool.query<Record<string, unknown>>(`select * from ${table}`)
  return rows
}
const left = (database: TestDatabase) => rowsIn(database, 'handovers')
const leases = (database: TestDatabase) => rowsIn(database, 'handover_leases')

/** A messaging that stores what it accepts, fails on demand, and checks that a room has one call at a time. */
class Messaging {
  readonly taken = new Map<string, bigint[]>()
  readonly envelopes: string[] = []
  overlaps = 0
  readonly #inCall = new Set<string>()

  readonly apply = async (roomId: string, events: { version: bigint; envelope: Uint8Array }[]): Promise<void> => {
    if (this.#inCall.has(roomId)) this.overlaps++
    this.#inCall.add(roomId)
    await sleep(1)
    const held = this.taken.get(roomId) ?? []
    const fresh = events.filter((event) => !held.includes(event.version))
    this.taken.set(roomId, [...held, ...fresh.map((event) => event.version)])
    this.envelopes.push(...fresh.map((event) => new TextDecoder().decode(event.envelope)))
    this.#inCall.delete(roomId)
  }
}

test('committed events reach messaging at once and are deleted', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  await using _handing = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await commit(database, 'R1', [1, 2])
  await eventually(() => expect(messaging.taken.get('R1')).toEqual([1n, 2n]))
  expect(messaging.envelopes).toEqual(['what clients hear', 'what clients hear'])
  await eventually(async () => expect([...(await left(database)), ...(await leases(database))]).toEqual([]))
})

test('events of a rolled back change are not handed over', async () => {
  await using database = await newDatabase()
  const failing = database.db.transaction(async (tx) => {
    await handOver(tx, 'R1', [{ eventId: 'E1' }])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await left(database)).toEqual([])
})

test('two processes hand over the events of each room in order, one call at a time', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  const rooms = upTo(5).map((number) => `R${number}`)
  await using _one = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await using _two = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  const write = async (roomId: string) => {
    for (const version of upTo(60)) {
      await commit(database, roomId, [version])
    }
  }
  await Promise.all(rooms.map(write))
  await eventually(async () => expect(await left(database)).toEqual([]))
  for (const roomId of rooms) expect(messaging.taken.get(roomId)).toEqual(upTo(60).map(BigInt))
  expect(messaging.overlaps).toBe(0)
})

test('many events of a room go in calls of fifty', async () => {
  await using database = await newDatabase()
  const sizes: number[] = []
  await commit(database, 'R1', upTo(120))
  const apply = async (_: string, events: unknown[]) => void sizes.push(events.length)
  await using _handing = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(async () => expect(await left(database)).toEqual([]))
  expect(sizes).toEqual([50, 50, 20])
})

test('a process that dies between commit and hand-over leaves nothing behind', async () => {
  await using database = await newDatabase()
  await using died = await forkProgram('handover.ts', [database.url])
  await eventually(async () => expect(await left(database)).toHaveLength(1))
  // A call is running.
  await eventually(async () => expect(await leases(database)).toHaveLength(1))
  await died.kill()
  await database.pool.query(`update handover_leases set expires_at = '-infinity'`)
  const messaging = new Messaging()
  await using _handing = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await eventually(() => expect(messaging.taken.get('R1')).toEqual([1n]))
})

test('while messaging is down nothing is given up, regardless of the duration', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  let calls = 0
  const apply: Messaging['apply'] = async (...given) => {
    if (++calls <= 25) throw new ConnectError('away', calls % 2 ? Code.Unavailable : Code.DeadlineExceeded)
    await messaging.apply(...given)
  }
  await commit(database, 'R1', [1, 2])
  await using _handing = startHandOver({ ...database, service: 'calls', apply, pauses, pollMs })
  await eventually(() => expect(messaging.taken.get('R1')).toEqual([1n, 2n]))
  expect(await rowsIn(database, 'parked_events')).toEqual([])
})

test('other rooms do not wait for a failing room', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  const apply: Messaging['apply'] = async (roomId, events) => {
    if (roomId === 'R1') throw new ConnectError('away', Code.Unavailable)
    await messaging.apply(roomId, events)
  }
  await commit(database, 'R1', [1])
  await using _handing = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(async () => expect(await leases(database)).toMatchObject([{ room_id: 'R1' }]))
  await commit(database, 'R2', [1])
  await eventually(() => expect(messaging.taken.get('R2')).toEqual([1n]))
})

test('a permanently refused event is parked without its envelope, the rest of its room continues, and it can be replayed', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  let refusals = 0
  let isMended = false
  const apply: Messaging['apply'] = async (roomId, events) => {
    if (!isMended && events.some((event) => event.version === 2n)) {
      refusals++
      throw new ConnectError('no such room', Code.NotFound)
    }
    await messaging.apply(roomId, events)
  }
  await commit(database, 'R1', [1, 2, 3])
  await using _handing = startHandOver({ ...database, service: 'calls', apply, pauses, pollMs })
  await eventually(async () => expect(await left(database)).toEqual([]))
  expect(messaging.taken.get('R1')).toEqual([1n, 3n])
  // Once together with other events, which does not count as a refusal of this one.
  expect(refusals).toBe(11)
  const { rows } = await database.pool.query<{ payload: Buffer }>('select * from parked_events')
  const about = { consumer: 'handover', event_id: 'R1-2', subject: 'evt.room.R1.call_participant_joined', attempts: 10 }
  expect(rows).toMatchObject([{ ...about, last_error: expect.stringContaining('no such room') }])
  const parked = fromBinary(RoomEventSchema, rows[0]?.payload ?? new Uint8Array())
  expect(parked).toMatchObject({ eventId: 'R1-2', version: 2n, envelope: new Uint8Array() })

  const operator = operatorOf(database.db)
  expect((await operator.listParkedEvents({})).events).toMatchObject([
    { key: { consumer: 'handover', eventId: 'R1-2' } },
  ])
  isMended = true
  expect(await operator.replayParkedEvents({ consumer: 'relay' })).toMatchObject({ requested: 0 })
  expect(await operator.replayParkedEvents({ eventIds: ['R1-2'] })).toMatchObject({ requested: 1 })
  await eventually(() => expect(messaging.taken.get('R1')).toEqual([1n, 3n, 2n]))
  expect((await operator.listParkedEvents({})).events).toEqual([])
})

test('closing aborts the running call and releases the room', async () => {
  await using database = await newDatabase()
  let calls = 0
  const apply = (_: string, __: unknown[], signal: AbortSignal) => {
    calls++
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))))
  }
  await commit(database, 'R1', [1])
  const handing = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(() => expect(calls).toBe(1))
  expect(await leases(database)).toHaveLength(1)
  await handing[Symbol.asyncDispose]()
  expect(await leases(database)).toEqual([])
  expect(await left(database)).toMatchObject([{ refusals: 0 }])
})

test('an event that is too large for a call is refused when it is written', async () => {
  await using database = await newDatabase()
  const large = { eventId: 'E1', envelope: new Uint8Array(16 * 1024) }
  const writing = database.db.transaction((tx) => handOver(tx, 'R1', [large]))
  await expect(writing).rejects.toThrow(RangeError)
})
