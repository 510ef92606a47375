import { fromBinary } from '@bufbuild/protobuf'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { RoomEventSchema, type RoomEvent } from '@parley/contracts/internal'
import { sqlRows, type Db } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { handoverLeases, handovers, parkedEvents } from '../schema.ts'

export const eventsPerCall = 50
const leaseMs = 10_000
export const roomsPerPoll = 100

export type Claim = { roomId: string; holder: string; failures: number }

export type Waiting = { id: bigint; refusals: number; event: RoomEvent }

const inMs = (milliseconds: number) => sql`clock_timestamp() + ${milliseconds}::int * interval '1 ms'`
const isHeldBy = ({ roomId, holder }: Claim) =>
  and(eq(handoverLeases.roomId, roomId), eq(handoverLeases.holder, holder))

/**
 * Rooms with waiting events, free ones first. `openInMs`: milliseconds until the room may be leased, 0 for a free one.
 */
export async function findWaitingRooms(db: Db): Promise<{ roomId: string; openInMs: number }[]> {
  return sqlRows(
    db,
    sql`select h.room_id as "roomId",
          greatest(extract(epoch from max(l.expires_at) - clock_timestamp()) * 1000, 0)::float8 as "openInMs"
        from ${handovers} h left join ${handoverLeases} l on l.room_id = h.room_id and l.expires_at > clock_timestamp()
        group by h.room_id order by "openInMs", h.room_id limit ${roomsPerPoll}`,
  )
}

export async function hasWaiting(db: Db, roomId: string): Promise<boolean> {
  const isOfRoom = eq(handovers.roomId, roomId)
  return (await db.select({ id: handovers.id }).from(handovers).where(isOfRoom).limit(1)).length > 0
}

/** Leases a free room; undefined if another process has leased it or it is paused after a failure. */
export async function claimRoom(db: Db, roomId: string, holder: string): Promise<Claim | undefined> {
  const expiresAt = inMs(leaseMs)
  const [row] = await db
    .insert(handoverLeases)
    .values({ roomId, holder, expiresAt })
    .onConflictDoUpdate({
      target: handoverLeases.roomId,
      set: { holder, expiresAt },
      setWhere: sql`${handoverLeases.expiresAt} <= clock_timestamp()`,
    })
    .returning({ failures: handoverLeases.failures })
  return row && { roomId, holder, failures: row.failures }
}

export async function readWaitingOf(db: Db, roomId: string): Promise<Waiting[]> {
  const rows = await db
    .select({ id: handovers.id, refusals: handovers.refusals, payload: handovers.payload })
    .from(handovers)
    .where(eq(handovers.roomId, roomId))
    .orderBy(asc(handovers.id))
    .limit(eventsPerCall)
  const some = rows[0]?.refusals ? rows.slice(0, 1) : rows
  return some.map(({ id, refusals, payload }) => ({ id, refusals, event: fromBinary(RoomEventSchema, payload) }))
}

/** Deletes accepted events and renews the lease. Returns false if the lease was lost. */
export async function deleteHandedOver(db: Db, claim: Claim, events: readonly Waiting[]): Promise<boolean> {
  const ids = events.map((event) => event.id)
  const deleted = db.$with('deleted').as(db.delete(handovers).where(inArray(handovers.id, ids)))
  const renewed = await db
    .with(deleted)
    .update(handoverLeases)
    .set({ failures: 0, expiresAt: inMs(leaseMs) })
    .where(isHeldBy(claim))
  return renewed.rowCount === 1
}

export async function releaseRoom(db: Db, claim: Claim): Promise<void> {
  await db.delete(handoverLeases).where(isHeldBy(claim))
}

export async function pauseRoom(db: Db, claim: Claim, pauseMs: number): Promise<void> {
  await db
    .update(handoverLeases)
    .set({ failures: sql`${handoverLeases.failures} + 1`, expiresAt: inMs(pauseMs) })
    .where(isHeldBy(claim))
}

export async function countRefusal(db: Db, { id }: Waiting): Promise<number> {
  const [row] = await db
    .update(handovers)
    .set({ refusals: sql`${handovers.refusals} + 1` })
    .where(eq(handovers.id, id))
    .returning({ refusals: handovers.refusals })
  return row?.refusals ?? 0
}

/** Parks an event without its envelope, which may contain names and would reach clients too late. */
export async function parkEvent(db: Db, { roomId }: Claim, { id, event }: Waiting, reason: string): Promise<void> {
  const { eventId, kind } = event
  const payload = Buffer.from(encode(RoomEventSchema, { ...event, envelope: new Uint8Array() }))
  await db.transaction(async (tx) => {
    const [row] = await tx.delete(handovers).where(eq(handovers.id, id)).returning({ refusals: handovers.refusals })
    if (!row) return
    const about = { consumer: 'handover', eventId, subject: `evt.room.${roomId}.${kind}`, payload }
    const parked = { ...about, attempts: row.refusals, lastError: reason, parkedAt: sql`now()` }
    await tx.insert(parkedEvents).values(parked).onConflictDoNothing()
  })
}

/** Deletes expired leases of rooms without waiting events, left behind by processes that died. */
export async function dropIdleLeases(db: Db): Promise<void> {
  const waits = db.select({ id: handovers.id }).from(handovers).where(eq(handovers.roomId, handoverLeases.roomId))
  await db
    .delete(handoverLeases)
    .where(and(sql`${handoverLeases.expiresAt} <= clock_timestamp()`, sql`not exists (${waits})`))
}
