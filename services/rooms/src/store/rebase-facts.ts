import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, max, min, sql } from 'drizzle-orm'
import type { RoomFact } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Db, Reader, Tx } from '@parley/postgres'
import type { HeldFact, ReadHeldRoom } from '../clients/messaging.ts'
import type { TheirRoom } from '../domain/restate.ts'
import { lockRoom } from './changes.ts'
import { decodeFact, insertFacts } from './facts.ts'
import { restateRoom } from './restate-room.ts'
import type { RoomRow } from './rows.ts'
import { roomFacts, rooms } from './schema.ts'

export type Rebased = {
  /**
   * Maps each requested version to the version for which to wait: the same or, after rebasing, the newest. Empty if the
   * room does not exist.
   */
  newVersions: ReadonlyMap<bigint, bigint>
  rebased: number
  /**
   * Version after rebasing; undefined if nothing is lost here, or the room does not exist. Another process may have
   * added facts by now.
   */
  newest?: bigint
}

/**
 * After a restore of this database, messaging may have facts that are lost here. The unapplied facts get new event ids
 * and versions above the lost facts; otherwise messaging would drop them. Further facts undo what the lost ones
 * changed.
 */
export async function rebaseFacts(
  db: Db,
  roomId: string,
  answered: HeldFact,
  { versions, read }: { versions: readonly bigint[]; read: ReadHeldRoom },
): Promise<Rebased> {
  if (await isOurs(db, roomId, answered))
    return { newVersions: await currentVersions(db, roomId, versions), rebased: 0 }
  const theirs = await read(roomId, await newestSharedVersion(db, roomId))
  const held = theirs?.held ?? answered
  const { room, made } = await db.transaction(async (tx) => {
    const locked = await lockRoom(tx, roomId)
    const isDone = !locked || (await isOurs(tx, roomId, held))
    return { room: locked, made: isDone ? [] : await continueAbove(tx, locked, held, theirs) }
  })
  const newest = made.at(-1)?.version
  if (newest === undefined)
    return {
      newVersions: await currentVersions(db, roomId, versions),
      rebased: 0,
      ...(room && { newest: room.version }),
    }
  return { newVersions: new Map(versions.map((version) => [version, newest])), rebased: made.length, newest }
}

/**
 * Each requested version if it exists, or else the newest of the room, because another rebase has renumbered it. Empty
 * if the room does not exist.
 */
async function currentVersions(
  reader: Reader,
  roomId: string,
  versions: readonly bigint[],
): Promise<Map<bigint, bigint>> {
  const found = await reader
    .select({ newest: rooms.version, existing: roomFacts.version })
    .from(rooms)
    .leftJoin(roomFacts, and(eq(roomFacts.roomId, rooms.id), inArray(roomFacts.version, [...versions])))
    .where(eq(rooms.id, roomId))
  const [room] = found
  if (!room) return new Map()
  const existing = new Set(found.map((row) => row.existing))
  return new Map(versions.map((version) => [version, existing.has(version) ? version : room.newest]))
}

async function newestSharedVersion(reader: Reader, roomId: string): Promise<bigint> {
  const [shared] = await reader
    .select({ version: max(roomFacts.version) })
    .from(roomFacts)
    .where(and(eq(roomFacts.roomId, roomId), isNotNull(roomFacts.appliedAt)))
  return BigInt(shared?.version ?? 0n)
}

/** Whether messaging's fact is one of this room's facts, or is directly followed by one of them. */
async function isOurs(reader: Reader, roomId: string, held: HeldFact): Promise<boolean> {
  if (held.version === 0n) return true
  const [same] = await reader
    .select({ eventId: roomFacts.eventId })
    .from(roomFacts)
    .where(and(eq(roomFacts.roomId, roomId), eq(roomFacts.version, held.version)))
  if (same) return held.eventId === '' || same.eventId === held.eventId
  const [next] = await reader
    .select({ fact: roomFacts.fact })
    .from(roomFacts)
    .where(and(eq(roomFacts.roomId, roomId), gt(roomFacts.version, held.version)))
    .orderBy(asc(roomFacts.version))
    .limit(1)
  return next !== undefined && decodeFact(next.fact).previousVersion === held.version
}

/** Moves the waiting facts above messaging's, and adds facts that restate differing values; returns both. */
async function continueAbove(
  tx: Tx,
  room: RoomRow,
  held: HeldFact,
  theirs: TheirRoom | undefined,
): Promise<RoomFact[]> {
  const top = room.version > held.version ? room.version : held.version
  const waiting = await removeWaitingFacts(tx, room.id)
  const moved = renumber(waiting.facts, top, held)
  if (moved.length > 0) await insertFacts(tx, room.id, moved, waiting.since)
  await updateReferences(
    tx,
    room.id,
    new Map(waiting.facts.map(({ version }, n) => [version, moved[n]?.version ?? version])),
  )
  const predecessor = moved.at(-1) ?? held
  const restated = theirs ? await restateRoom(tx, room, { theirs, waiting: moved, predecessor, top }) : []
  const made = [...moved, ...restated]
  const newest = made.at(-1)
  if (newest) await tx.update(rooms).set({ version: newest.version }).where(eq(rooms.id, room.id))
  return made
}

/** Deletes and returns the oldest unapplied fact and all later ones, except the fact that created the room. */
async function removeWaitingFacts(tx: Tx, roomId: string): Promise<{ facts: RoomFact[]; since: Date }> {
  const ofRoom = eq(roomFacts.roomId, roomId)
  const [open] = await tx
    .select({ oldest: min(roomFacts.version) })
    .from(roomFacts)
    .where(and(ofRoom, isNull(roomFacts.appliedAt), gt(roomFacts.version, 1n)))
  if (!open?.oldest) return { facts: [], since: new Date() }
  const taken = await tx
    .delete(roomFacts)
    .where(and(ofRoom, gte(roomFacts.version, BigInt(open.oldest))))
    .returning()
  const rows = taken.sort((a, b) => (a.version < b.version ? -1 : 1))
  return { facts: rows.map(({ fact }) => decodeFact(fact)), since: rows[0]?.createdAt ?? new Date() }
}

/** Returns the facts with new event ids and versions above `top`; the first fact follows `held`. */
function renumber(facts: readonly RoomFact[], top: bigint, held: HeldFact): RoomFact[] {
  let version = top
  let previous = held
  return facts.map((fact) => {
    version += 1n
    const link = { previousVersion: previous.version, previousEventId: previous.eventId }
    const moved = { ...fact, ...link, version, eventId: newId('event') }
    previous = moved
    return moved
  })
}

async function updateReferences(tx: Tx, roomId: string, moved: ReadonlyMap<bigint, bigint>): Promise<void> {
  const olds = sql.param([...moved.keys()])
  const news = sql.param([...moved.values()])
  for (const table of ['room_members', 'room_bans'])
    await tx.execute(sql`
      update ${sql.identifier(table)} as named set version = moved.new
      from unnest(${olds}::bigint[], ${news}::bigint[]) moved(old, new)
      where named.room_id = ${roomId} and named.version = moved.old`)
}
