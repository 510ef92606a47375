import { sql } from 'drizzle-orm'
import { eventually } from '@parley/tooling/eventually'
import { enqueue, eventStream, type OutgoingEvent, type Relay } from '../src/index.ts'
import { fromBinary } from '@bufbuild/protobuf'
import { EventBatchSchema, type Event } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'

export function plainEvent(aggregateId: string, version: number, kind = 'room_updated'): OutgoingEvent {
  return {
    id: `E-${aggregateId}-${version}`,
    kind,
    aggregateType: 'room',
    aggregateId,
    version: BigInt(version),
    occurredAt: new Date(),
    actorId: '',
    fact: { case: 'messagePosted', value: { roomSeq: BigInt(version) } },
  }
}

/** Commits events of one aggregate under a lock, as a service does. Returns the ids of the entries. */
export async function commit(
  database: Database,
  aggregateId: string,
  versions: number[],
  kind?: string,
): Promise<bigint[]> {
  return await database.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext(${aggregateId}))`)
    return await enqueue(
      tx,
      versions.map((version) => plainEvent(aggregateId, version, kind)),
    )
  })
}

export async function waitUntilStored(relay: Relay, entryIds: bigint[]): Promise<void> {
  await eventually(() => relay.waitUntilStored(entryIds))
}

export async function readStream(bus: Bus): Promise<Event[]> {
  const manager = await bus.nc.jetstreamManager()
  const { state } = await manager.streams.info(eventStream)
  const events: Event[] = []
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 256) {
    const count = Math.min(256, state.last_seq - seq + 1)
    const some = Array.from({ length: count }, (_, index) =>
      manager.streams.getMessage(eventStream, { seq: seq + index }),
    )
    for (const { data } of await Promise.all(some)) events.push(...fromBinary(EventBatchSchema, data).events)
  }
  return events
}

/** The versions of each aggregate's events, without repeated ones, in the order of the stream. */
export function firstOccurrences(
  events: readonly Pick<Event, 'id' | 'aggregateId' | 'version'>[],
): Map<string, number[]> {
  const seen = new Set<string>()
  const versions = new Map<string, number[]>()
  for (const { id, aggregateId, version } of events) {
    if (seen.has(id)) continue
    seen.add(id)
    versions.set(aggregateId, [...(versions.get(aggregateId) ?? []), Number(version)])
  }
  return versions
}

export const oneTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1)

export async function countRelayed(database: Database): Promise<number> {
  const result = await database.pool.query<{ count: bigint }>(
    'select count(*) from outbox where relayed_at is not null',
  )
  return Number(result.rows[0]?.count)
}

export async function countWaiting(database: Database): Promise<number> {
  const result = await database.pool.query<{ count: bigint }>('select count(*) from outbox where relayed_at is null')
  return Number(result.rows[0]?.count)
}
