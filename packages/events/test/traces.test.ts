import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Bus } from '@parley/rpc'
import { currentTraceparent, startTelemetry, stopTelemetry, withSpan } from '@parley/telemetry'
import { eventually } from '@parley/tooling/eventually'
import { OtlpReceiver, type ReceivedSpan } from '@parley/tooling/otlp-receiver'
import {
  consumeEvents,
  handOver,
  startHandOver,
  startRelay,
  type BatchHandler,
  type ConsumerOptions,
  type EventHandler,
} from '../src/index.ts'
import { commit, waitUntilStored, oneTo } from './_events.ts'
import { operatorOf } from './_operator.ts'
import { newDatabase, withStream } from './_servers.ts'

let bus: Bus
withStream((stream) => (bus = stream.bus))

let collector: OtlpReceiver
beforeEach(async () => {
  collector = await OtlpReceiver.startForThisProcess()
  await startTelemetry(process.env)
})
afterEach(async () => {
  await stopTelemetry()
  await collector[Symbol.asyncDispose]()
})

async function stopAndReadSpans(): Promise<ReceivedSpan[]> {
  await stopTelemetry()
  return collector.spans
}

/** Commits one event per version, each in a separate trace; returns the ids of the entries and of the traces. */
async function commitInTraces(database: Awaited<ReturnType<typeof newDatabase>>, room: string, versions: number[]) {
  const entries: bigint[] = []
  const traceIds: string[] = []
  for (const version of versions)
    await withSpan('request', {}, async () => {
      traceIds.push(currentTraceparent().split('-')[1] ?? '')
      entries.push(...(await commit(database, room, [version])))
    })
  return { entries, traceIds }
}

type Own = Pick<ConsumerOptions, 'db'> & ({ on: EventHandler } | { batches: { on: BatchHandler } })

const consumer = (room: string, options: Own) =>
  consumeEvents({
    ...{ bus, service: 'traces', durable: room, subject: `evt.room.${room}.>` },
    redelivery: { initialMs: 10, maxMs: 50 },
    ...options,
  })

const tracesOf = (span: ReceivedSpan | undefined): string[] =>
  span === undefined ? [] : [span.traceId, ...span.links.map(({ traceId }) => traceId)].sort()

test('spans of publishing, handling and recording an event are in the trace of its request', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'traces1' })
  const { entries, traceIds } = await commitInTraces(database, 'single', [1])
  let inside = ''
  const handling = await consumer('single', {
    db: database.db,
    on: () => Promise.resolve(void (inside = currentTraceparent())),
  })
  await waitUntilStored(relay, entries)
  await eventually(() => inside !== '')
  await handling[Symbol.asyncDispose]()
  const sent = (await stopAndReadSpans()).filter(({ traceId }) => traceId === traceIds[0])
  const request = sent.find(({ name }) => name === 'request')
  const published = sent.find(({ name }) => name === 'publish EVENTS')
  const handled = sent.find(({ name }) => name === 'process traces-single')
  expect(published).toMatchObject({ kind: 'producer', parentSpanId: request?.spanId })
  expect(handled).toMatchObject({ kind: 'consumer', parentSpanId: request?.spanId })
  expect(handled?.attributes).toMatchObject({
    'messaging.system.name': 'nats',
    'messaging.operation.type': 'process',
    'messaging.message.id': 'E-single-1',
    'parley.event.kind': 'room_updated',
  })
  expect(inside.split('-').slice(1, 3)).toEqual([traceIds[0], handled?.spanId])
  expect(sent.filter(({ parentSpanId }) => parentSpanId === handled?.spanId).map(({ name }) => name)).toContain(
    'INSERT inbox',
  )
})

test('spans of several events belong to one of their traces and link to the others', async () => {
  await using database = await newDatabase()
  const { entries, traceIds } = await commitInTraces(database, 'batch', oneTo(3))
  let handled = 0
  await using relay = await startRelay({ ...database, bus, service: 'traces2' })
  await waitUntilStored(relay, entries)
  const handling = await consumer('batch', {
    db: database.db,
    batches: { on: (events) => Promise.resolve(void (handled += events.length)) },
  })
  await eventually(() => handled === 3)
  await handling[Symbol.asyncDispose]()
  const sent = await stopAndReadSpans()
  for (const name of ['publish EVENTS', 'process traces-batch']) {
    const own = sent.filter((span) => span.name === name)
    expect(own.flatMap(tracesOf).sort()).toEqual([...traceIds].sort())
  }
})

test('a relay adds its span of publishing, but none of its queries, to the trace of the request that woke it', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'traces3' })
  await waitUntilStored(relay, await commit(database, 'woken', [1]))
  let traceId: string | undefined
  await withSpan('request', {}, async () => {
    traceId = currentTraceparent().split('-')[1]
    await waitUntilStored(relay, await commit(database, 'woken', [2]))
  })
  const own = (await stopAndReadSpans()).filter((span) => span.traceId === traceId).map(({ name }) => name)
  expect(own).toContain('publish EVENTS')
  expect(own.filter((name) => /pg_current_snapshot|^WITH /.test(name))).toEqual([])
})

test('the span of a hand-over belongs to the trace of one of its events and links to those of the others', async () => {
  await using database = await newDatabase()
  const given: { traceparents: string[]; inside: string }[] = []
  const traceIds: string[] = []
  for (const version of [1n, 2n])
    await withSpan('request', {}, () =>
      database.db.transaction(async (tx) => {
        traceIds.push(currentTraceparent().split('-')[1] ?? '')
        const event = {
          aggregateType: 'call',
          aggregateId: 'C1',
          version,
          eventId: `E${version}`,
          kind: 'call_started',
        }
        await handOver(tx, 'R1', [event])
      }),
    )
  await using _hand = startHandOver({
    ...{ db: database.db, service: 'calls', pollMs: 50 },
    apply: (_roomId, events) => {
      given.push({ traceparents: events.map(({ traceparent }) => traceparent), inside: currentTraceparent() })
      return Promise.resolve()
    },
  })
  await eventually(() => given.length > 0)
  const idsOf = (traceparents: string[]) => traceparents.map((one) => one.split('-')[1])
  expect(idsOf(given.flatMap(({ traceparents }) => traceparents))).toEqual(traceIds)
  expect(idsOf(given.map(({ inside }) => inside))).toEqual([traceIds[0]])
  await eventually(async () => expect((await database.pool.query('select from handovers')).rowCount).toBe(0))
  expect((await stopAndReadSpans()).filter(({ name }) => name === 'hand over events').map(tracesOf)).toEqual([
    [...traceIds].sort(),
  ])
})

const contextOfLog = (text: string) => {
  const line = collector.logs.find(({ body }) => body.stringValue.startsWith(text))
  return line && { traceId: line.traceId, spanId: line.spanId }
}
const contextOfSpan = ({ traceId, spanId }: ReceivedSpan) => ({ traceId, spanId })

test('log lines about failing events, alone, in a batch or in a replay, contain trace and span id', async () => {
  await using database = await newDatabase()
  await using relay = await startRelay({ ...database, bus, service: 'traces4' })
  await waitUntilStored(relay, (await commitInTraces(database, 'failing', [1])).entries)
  const fails = () => Promise.reject(new Error('not yet'))
  await using _consumer = await consumer('failing', { db: database.db, batches: { on: fails } })
  const { listParkedEvents, replayParkedEvents } = operatorOf(database.db)
  const readParked = async () => (await listParkedEvents({ limit: 10 })).events
  await eventually(async () => expect(await readParked()).toHaveLength(1))
  const { attempts = 0 } = (await readParked())[0] ?? {}
  await replayParkedEvents({})
  await eventually(async () => expect((await readParked())[0]?.attempts).toBe(attempts + 1))
  const handled = (await stopAndReadSpans()).filter(({ name }) => name === 'process traces-failing').map(contextOfSpan)
  for (const text of [
    'a consumer failed on a batch of events',
    'a consumer failed on an event',
    'a consumer failed too often',
    'a parked event failed again',
  ])
    expect([text, handled]).toEqual([text, expect.arrayContaining([contextOfLog(text)])])
})

test('log lines about a failed hand-over contain trace and span id', async () => {
  await using database = await newDatabase()
  await withSpan('request', {}, () =>
    database.db.transaction((tx) =>
      handOver(tx, 'R2', [
        { ...{ aggregateType: 'call', aggregateId: 'C2', version: 1n }, eventId: 'E1', kind: 'call_started' },
      ]),
    ),
  )
  await using _hand = startHandOver({
    ...{ db: database.db, service: 'calls', pollMs: 50, pauses: { initialMs: 1, maxMs: 5 } },
    apply: () => Promise.reject(new ConnectError('no', Code.InvalidArgument)),
  })
  await eventually(async () => expect((await database.pool.query('select from handovers')).rowCount).toBe(0))
  const handOvers = (await stopAndReadSpans()).filter(({ name }) => name === 'hand over events').map(contextOfSpan)
  for (const text of ['messaging did not accept events', 'messaging refused an event'])
    expect([text, handOvers]).toEqual([text, expect.arrayContaining([contextOfLog(text)])])
})
