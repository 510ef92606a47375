import { setTimeout as sleep } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { fromBinary } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { RoomEventSchema } from '@parley/contracts/internal'
import { eventually } from '@parley/tooling/eventually'
import { handOver, startHandOver } from '../src/index.ts'
import { oneTo } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { forkProgram } from './_processes.ts'
import { newDatabase } from './_servers.ts'

type TestDatabase = Awaited<ReturnType<typeof newDatabase>>

const pauses = { initialMs: 1, maxMs: 5 }
/** Too long to elapse: rooms are handed over only when announced. */
const pollMs = 3_600_000
const envelope = new TextEncoder().encode('an envelope')

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

const readRows = async (database: TestDatabase, table: string): Promise<unknown[]> => {
  const { rows } = await database.pool.query<Record<string, unknown>>(`select * from ${table}`)
  return rows
}
const waitingRows = (database: TestDatabase) => readRows(database, 'handovers')
const leaseRows = (database: TestDatabase) => readRows(database, 'handover_leases')

/** Records accepted events, drops duplicates, and counts concurrent calls for one room. */
class Messaging {
  readonly accepted = new Map<string, bigint[]>()
  readonly envelopes: string[] = []
  overlaps = 0
  readonly #inCall = new Set<string>()

  readonly apply = async (roomId: string, events: { version: bigint; envelope: Uint8Array }[]): Promise<void> => {
    if (this.#inCall.has(roomId)) this.overlaps++
    this.#inCall.add(roomId)
    await sleep(1)
    const held = this.accepted.get(roomId) ?? []
    const unknown = events.filter((event) => !held.includes(event.version))
    this.accepted.set(roomId, [...held, ...unknown.map((event) => event.version)])
    this.envelopes.push(...unknown.map((event) => new TextDecoder().decode(event.envelope)))
    this.#inCall.delete(roomId)
  }
}

test('committed events reach messaging at once; then their rows and the lease of the room are deleted', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  await using _handOver = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await commit(database, 'R1', [1, 2])
  await eventually(() => expect(messaging.accepted.get('R1')).toEqual([1n, 2n]))
  expect(messaging.envelopes).toEqual(['an envelope', 'an envelope'])
  await eventually(async () => expect([...(await waitingRows(database)), ...(await leaseRows(database))]).toEqual([]))
})

test('events of a rolled back change are not handed over', async () => {
  await using database = await newDatabase()
  const failing = database.db.transaction(async (tx) => {
    await handOver(tx, 'R1', [{ eventId: 'E1' }])
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await waitingRows(database)).toEqual([])
})

test('two processes hand over the events of a room in order, and never in two calls at once', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  const rooms = oneTo(5).map((number) => `R${number}`)
  await using _one = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await using _two = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  const write = async (roomId: string) => {
    for (const version of oneTo(60)) {
      await commit(database, roomId, [version])
    }
  }
  await Promise.all(rooms.map(write))
  await eventually(async () => expect(await waitingRows(database)).toEqual([]))
  for (const roomId of rooms) expect(messaging.accepted.get(roomId)).toEqual(oneTo(60).map(BigInt))
  expect(messaging.overlaps).toBe(0)
})

test('the events of a room are sent in calls of at most fifty', async () => {
  await using database = await newDatabase()
  const sizes: number[] = []
  await commit(database, 'R1', oneTo(120))
  const apply = async (_: string, events: unknown[]) => void sizes.push(events.length)
  await using _handOver = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(async () => expect(await waitingRows(database)).toEqual([]))
  expect(sizes).toEqual([50, 50, 20])
})

test('the events of a killed process are handed over by another process', async () => {
  await using database = await newDatabase()
  await using killed = await forkProgram('handover.ts', [database.url])
  await eventually(async () => expect(await waitingRows(database)).toHaveLength(1))
  await eventually(async () => expect(await leaseRows(database)).toHaveLength(1))
  await killed.kill()
  await database.pool.query(`update handover_leases set expires_at = '-infinity'`)
  const messaging = new Messaging()
  await using _handOver = startHandOver({ ...database, service: 'calls', apply: messaging.apply, pollMs })
  await eventually(() => expect(messaging.accepted.get('R1')).toEqual([1n]))
})

test('while messaging is unavailable, no event is parked, even after 25 attempts', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  let calls = 0
  const apply: Messaging['apply'] = async (...given) => {
    if (++calls <= 25) throw new ConnectError('unavailable', calls % 2 ? Code.Unavailable : Code.DeadlineExceeded)
    await messaging.apply(...given)
  }
  await commit(database, 'R1', [1, 2])
  await using _handOver = startHandOver({ ...database, service: 'calls', apply, pauses, pollMs })
  await eventually(() => expect(messaging.accepted.get('R1')).toEqual([1n, 2n]))
  expect(await readRows(database, 'parked_events')).toEqual([])
})

test('other rooms do not wait for a failing room', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  const apply: Messaging['apply'] = async (roomId, events) => {
    if (roomId === 'R1') throw new ConnectError('unavailable', Code.Unavailable)
    await messaging.apply(roomId, events)
  }
  await commit(database, 'R1', [1])
  await using _handOver = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(async () => expect(await leaseRows(database)).toMatchObject([{ room_id: 'R1' }]))
  await commit(database, 'R2', [1])
  await eventually(() => expect(messaging.accepted.get('R2')).toEqual([1n]))
})

test('an event that messaging keeps refusing is parked without its envelope, does not block its room, and can be replayed', async () => {
  await using database = await newDatabase()
  const messaging = new Messaging()
  let refusals = 0
  let isRepaired = false
  const apply: Messaging['apply'] = async (roomId, events) => {
    if (!isRepaired && events.some((event) => event.version === 2n)) {
      refusals++
      throw new ConnectError('no such room', Code.NotFound)
    }
    await messaging.apply(roomId, events)
  }
  await commit(database, 'R1', [1, 2, 3])
  await using _handOver = startHandOver({ ...database, service: 'calls', apply, pauses, pollMs })
  await eventually(async () => expect(await waitingRows(database)).toEqual([]))
  expect(messaging.accepted.get('R1')).toEqual([1n, 3n])
  // Ten times alone, and once together with the first event: that refusal counts for the first event.
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
  isRepaired = true
  expect(await operator.replayParkedEvents({ consumer: 'relay' })).toMatchObject({ requested: 0 })
  expect(await operator.replayParkedEvents({ eventIds: ['R1-2'] })).toMatchObject({ requested: 1 })
  await eventually(() => expect(messaging.accepted.get('R1')).toEqual([1n, 3n, 2n]))
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
  const handOverJob = startHandOver({ ...database, service: 'calls', apply, pollMs })
  await eventually(() => expect(calls).toBe(1))
  expect(await leaseRows(database)).toHaveLength(1)
  await handOverJob[Symbol.asyncDispose]()
  expect(await leaseRows(database)).toEqual([])
  expect(await waitingRows(database)).toMatchObject([{ refusals: 0 }])
})

test('an event that is too large for a call is refused when it is written', async () => {
  await using database = await newDatabase()
  const large = { eventId: 'E1', envelope: new Uint8Array(16 * 1024) }
  const writing = database.db.transaction((tx) => handOver(tx, 'R1', [large]))
  await expect(writing).rejects.toThrow(RangeError)
})
