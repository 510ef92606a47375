import { fromBinary } from '@bufbuild/protobuf'
import { and, asc, eq, gt, isNotNull, isNull, lte, max, sql } from 'drizzle-orm'
import { RoomFactSchema, type RoomFact } from '@parley/contracts/internal'
import { sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { takesAccessAway } from '../domain/room-fact.ts'
import { roomFacts, rooms } from './schema.ts'

export const factsPerCall = 100

export type FactOfRoom = { roomId: string; fact: RoomFact }

export const insertFacts = (tx: Tx, roomId: string, facts: readonly RoomFact[], at: Date): Promise<void> =>
  insertFactsOfRooms(
    tx,
    facts.map((fact) => ({ roomId, fact })),
    at,
  )

/** Also fills in missing values of `previousEventId`. The rooms must be locked. */
export async function insertFactsOfRooms(tx: Tx, facts: readonly FactOfRoom[], at: Date): Promise<void> {
  await setPreviousEventIds(tx, facts)
  await tx.insert(roomFacts).values(
    facts.map(({ roomId, fact }) => ({
      roomId,
      version: fact.version,
      eventId: fact.eventId,
      fact: encode(RoomFactSchema, fact),
      createdAt: at,
      awaitsStream: takesAccessAway(fact),
    })),
  )
}

async function setPreviousEventIds(tx: Tx, facts: readonly FactOfRoom[]): Promise<void> {
  const keyOf = (roomId: string, version: bigint) => `${roomId} ${version}`
  const ids = new Map(facts.map(({ roomId, fact }) => [keyOf(roomId, fact.version), fact.eventId]))
  const incomplete = facts.filter(({ fact }) => fact.previousVersion > 0n && fact.previousEventId === '')
  const afterStored = incomplete.filter(({ roomId, fact }) => !ids.has(keyOf(roomId, fact.previousVersion)))
  if (afterStored.length > 0) {
    const roomIds = sql.param(afterStored.map(({ roomId }) => roomId))
    const versions = sql.param(afterStored.map(({ fact }) => fact.previousVersion))
    const rows = await sqlRows<{ roomId: string; version: bigint; eventId: string }>(
      tx,
      sql`select room_id as "roomId", version, event_id as "eventId"
          from room_facts join unnest(${roomIds}::text[], ${versions}::bigint[]) as before(of, at)
          on room_id = before.of and version = before.at`,
    )
    for (const { roomId, version, eventId } of rows) ids.set(keyOf(roomId, version), eventId)
  }
  for (const { roomId, fact } of incomplete) fact.previousEventId = ids.get(keyOf(roomId, fact.previousVersion)) ?? ''
}

export function decodeFact(bytes: Uint8Array): RoomFact {
  const fact = fromBinary(RoomFactSchema, bytes)
  // Earlier releases increased the version by one and did not set `previousVersion`.
  if (fact.previousVersion === 0n) fact.previousVersion = fact.version - 1n
  return fact
}

const decodeFacts = (rows: { fact: Uint8Array }[]): RoomFact[] => rows.map(({ fact }) => decodeFact(fact))

/**
 * The first `factsPerCall` facts above `version`, which is the version that messaging has. They name their predecessors
 * so that they form a chain that begins at `version`, even if facts between them are missing.
 */
export async function findFactsAbove(reader: Reader, roomId: string, version: bigint): Promise<RoomFact[]> {
  const above = and(eq(roomFacts.roomId, roomId), gt(roomFacts.version, version))
  const facts = decodeFacts(
    await reader
      .select({ fact: roomFacts.fact })
      .from(roomFacts)
      .where(above)
      .orderBy(asc(roomFacts.version))
      .limit(factsPerCall),
  )
  return facts.map((fact, n) => {
    const { version: previousVersion, eventId: previousEventId } = facts[n - 1] ?? { version, eventId: '' }
    return fact.previousVersion === previousVersion ? fact : { ...fact, previousVersion, previousEventId }
  })
}

const unapplied = (roomId: string, upTo?: bigint) =>
  and(
    eq(roomFacts.roomId, roomId),
    isNull(roomFacts.appliedAt),
    upTo === undefined ? undefined : lte(roomFacts.version, upTo),
  )

export async function findUnappliedFacts(reader: Reader, roomId: string, upTo?: bigint): Promise<RoomFact[]> {
  return decodeFacts(
    await reader
      .select({ fact: roomFacts.fact })
      .from(roomFacts)
      .where(unapplied(roomId, upTo))
      .orderBy(asc(roomFacts.version))
      .limit(factsPerCall),
  )
}

export async function findFact(reader: Reader, roomId: string, version: bigint): Promise<RoomFact[]> {
  const one = and(eq(roomFacts.roomId, roomId), eq(roomFacts.version, version))
  return decodeFacts(await reader.select({ fact: roomFacts.fact }).from(roomFacts).where(one))
}

/**
 * Summarizes the unapplied facts, up to a version if one is given: their highest version, and whether any of them must
 * be on the stream. Undefined if there are none.
 */
export async function summarizeUnapplied(
  reader: Reader,
  roomId: string,
  upTo?: bigint,
): Promise<{ version: bigint; awaitStream: boolean } | undefined> {
  const [row] = await reader
    .select({ version: max(roomFacts.version), awaitStream: sql<boolean | null>`bool_or(${roomFacts.awaitsStream})` })
    .from(roomFacts)
    .where(unapplied(roomId, upTo))
  if (!row?.version) return undefined
  return { version: BigInt(row.version), awaitStream: row.awaitStream ?? false }
}

/** `streamed`: messaging has waited for the stream. Otherwise, facts that must be on the stream stay unapplied. */
export async function markApplied(db: Db, roomId: string, upTo: bigint, streamed: boolean): Promise<void> {
  await db
    .update(roomFacts)
    .set({ appliedAt: sql`now()` })
    .where(
      and(
        eq(roomFacts.roomId, roomId),
        isNull(roomFacts.appliedAt),
        lte(roomFacts.version, upTo),
        streamed ? undefined : eq(roomFacts.awaitsStream, false),
      ),
    )
}

export type LeftBehind = { roomId: string; version: bigint; awaitStream: boolean }

/** The room with the oldest unapplied fact comes first. */
export function findRoomsLeftBehind(reader: Reader, olderThan: Date, limit: number): Promise<LeftBehind[]> {
  return sqlRows<LeftBehind>(
    reader,
    sql`select room_id as "roomId", max(version) as "version", bool_or(awaits_stream) as "awaitStream"
        from room_facts where applied_at is null and created_at < ${olderThan}
        group by room_id order by min(created_at) limit ${limit}`,
  )
}

/** The newest fact of each room, except rooms whose newest fact messaging has not applied. */
export async function findNewestFacts(reader: Reader, afterRoomId: string, limit: number): Promise<FactOfRoom[]> {
  const rows = await reader
    .select({ roomId: rooms.id, fact: roomFacts.fact })
    .from(rooms)
    .innerJoin(roomFacts, and(eq(roomFacts.roomId, rooms.id), eq(roomFacts.version, rooms.version)))
    .where(and(gt(rooms.id, afterRoomId), isNotNull(roomFacts.appliedAt)))
    .orderBy(asc(rooms.id))
    .limit(limit)
  return rows.map(({ roomId, fact }) => ({ roomId, fact: decodeFact(fact) }))
}
