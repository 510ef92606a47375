import { and, asc, eq, gt, gte, inArray, isNull, max, min, sql } from 'drizzle-orm'
import type { RoomFact } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { Db, Reader, Tx } from '@parley/postgres'
import type { HeldFact } from '../clients/messaging.ts'
import { lockRoom } from './changes.ts'
import { decodeFact, insertFacts } from './facts.ts'
import { roomFacts, rooms } from './schema.ts'

export type Rebased = {
  /** Versions as of now of the facts asked for; one that another process gave anew is missing. */
  places: ReadonlyMap<bigint, bigint>
  /** How many facts got a new version. */
  rebased: number
}

/**
 * After the database went back messaging may hold a fact that is not known here any more. What it has not applied then gets
 * new versions above that fact, and new event ids: it would be dropped otherwise as older than what is held.
 */
export async function rebaseFacts(db: Db, roomId: string, held: HeldFact, asked: readonly bigint[]): Promise<Rebased> {
  const moved = (await isOurs(db, roomId, held))
    ? new Map<bigint, bigint>()
    : await db.transaction(async (tx) => {
        await lockRoom(tx, roomId)
        return (await isOurs(tx, roomId, held)) ? new Map<bigint, bigint>() : await moveAbove(tx, roomId, held)
      })
  const now = asked.map((version): [bigint, bigint] => [version, moved.get(version) ?? version])
  const versions = now.map(([, version]) => version)
  const known = await db
    .select({ version: roomFacts.version })
    .from(roomFacts)
    .where(and(eq(roomFacts.roomId, roomId), inArray(roomFacts.version, versions)))
  const standing = new Set(known.map(({ version }) => version))
  return { places: new Map(now.filter(([, version]) => standing.has(version))), rebased: moved.size }
}

/** Whether a fact that messaging holds is one of the room's, or one that a fact was put on top of. */
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

/** Moves the oldest fact that is not applied, and all after it; their order stays. The fact that made the room is held already. */
async function moveAbove(tx: Tx, roomId: string, held: HeldFact): Promise<Map<bigint, bigint>> {
  const ofRoom = eq(roomFacts.roomId, roomId)
  const [ends] = await tx
    .select({ newest: max(roomFacts.version) })
    .from(roomFacts)
    .where(ofRoom)
  const [open] = await tx
    .select({ oldest: min(roomFacts.version) })
    .from(roomFacts)
    .where(and(ofRoom, isNull(roomFacts.appliedAt), gt(roomFacts.version, 1n)))
  const newest = BigInt(ends?.newest ?? 0n)
  const moved = new Map<bigint, bigint>()
  if (!open?.oldest) return moved
  const from = and(ofRoom, gte(roomFacts.version, BigInt(open.oldest)))
  const rows = await tx.select().from(roomFacts).where(from).orderBy(asc(roomFacts.version))
  let version = newest > held.version ? newest : held.version
  let previous = held
  const facts: RoomFact[] = rows.map((row) => {
    version += 1n
    moved.set(row.version, version)
    const named = { previousVersion: previous.version, previousEventId: previous.eventId }
    const fact = { ...decodeFact(row.fact), ...named, version, eventId: newId('event') }
    previous = fact
    return fact
  })
  await tx.delete(roomFacts).where(from)
  await insertFacts(tx, roomId, facts, rows[0]?.createdAt ?? new Date())
  await tx.update(rooms).set({ version }).where(eq(rooms.id, roomId))
  await follow(tx, roomId, moved)
  return moved
}

/** What names a fact by its version goes with it. */
async function follow(tx: Tx, roomId: string, moved: ReadonlyMap<bigint, bigint>): Promise<void> {
  const olds = sql.param([...moved.keys()])
  const news = sql.param([...moved.values()])
  for (const table of ['room_members', 'room_bans', 'idempotent_calls'])
    await tx.execute(sql`
      update ${sql.identifier(table)} as named set version = moved.new
      from unnest(${olds}::bigint[], ${news}::bigint[]) moved(old, new)
      where named.room_id = ${roomId} and named.version = moved.old`)
}
