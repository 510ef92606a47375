import { and, asc, eq, gt, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { deleteInBatches, type Db, type Reader, type Tx } from '@parley/postgres'
import { callParticipants, calls } from './schema.ts'

export type ParticipantRow = typeof callParticipants.$inferSelect

/** Former participants are included. */
export function findParticipants(db: Reader, callId: string): Promise<ParticipantRow[]> {
  return db.select().from(callParticipants).where(eq(callParticipants.callId, callId))
}

export function findPresent(db: Reader, callIds: readonly string[]): Promise<ParticipantRow[]> {
  return db
    .select()
    .from(callParticipants)
    .where(and(inArray(callParticipants.callId, [...callIds]), isNull(callParticipants.leftAt)))
    .orderBy(asc(callParticipants.joinedAt), asc(callParticipants.userId))
}

/** Finds the users who are in the call, and those of `userIds` who have left it. */
export function findParticipantsForChange(
  tx: Tx,
  callId: string,
  userIds: readonly string[],
): Promise<ParticipantRow[]> {
  const { userId, leftAt } = callParticipants
  return tx
    .select()
    .from(callParticipants)
    .where(and(eq(callParticipants.callId, callId), or(isNull(leftAt), inArray(userId, [...userIds]))))
}

export async function hasJoinedSince(
  db: Db,
  { callId, userId }: { callId: string; userId: string },
  since: Date,
): Promise<boolean> {
  const { leftAt, joinedAt, ...ids } = callParticipants
  const joinedSince = and(eq(ids.callId, callId), eq(ids.userId, userId), isNull(leftAt), gt(joinedAt, since))
  return (await db.$count(callParticipants, joinedSince)) > 0
}

/** Keeps a statement below the maximum number of parameters. */
const rowsPerStatement = 1_000

export async function saveParticipants(tx: Tx, participants: readonly ParticipantRow[]): Promise<void> {
  for (let start = 0; start < participants.length; start += rowsPerStatement)
    await saveBatch(tx, participants.slice(start, start + rowsPerStatement))
}

async function saveBatch(tx: Tx, participants: ParticipantRow[]): Promise<void> {
  const { callId, userId } = callParticipants
  await tx
    .insert(callParticipants)
    .values(participants)
    .onConflictDoUpdate({
      target: [callId, userId],
      set: {
        joinedAt: sql`excluded.joined_at`,
        leftAt: sql`excluded.left_at`,
        source: sql`excluded.source`,
        awaitedSince: sql`excluded.awaited_since`,
        connectionSid: sql`excluded.connection_sid`,
        mediaRoomSid: sql`excluded.media_room_sid`,
        connectedAt: sql`excluded.connected_at`,
        disconnected: sql`excluded.disconnected`,
        revision: sql`excluded.revision`,
      },
    })
}

/** In the order in which a transaction must lock them. */
export async function findActiveCallIds(db: Reader, userId: string): Promise<string[]> {
  const rows = await db
    .select({ id: calls.id })
    .from(callParticipants)
    .innerJoin(calls, eq(calls.id, callParticipants.callId))
    .where(and(eq(callParticipants.userId, userId), isNull(callParticipants.leftAt), isNull(calls.endedAt)))
    .orderBy(asc(calls.id))
  return rows.map(({ id }) => id)
}

/**
 * Deletes the user's participations, except in calls that the user has not left. Returns the number of deleted rows.
 */
export function forgetParticipationsOf(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const where = and(eq(callParticipants.userId, userId), isNotNull(callParticipants.leftAt))
  return deleteInBatches(db, callParticipants, { where, signal })
}
