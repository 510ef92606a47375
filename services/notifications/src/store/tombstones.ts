import type { Reader, Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'

/** Notes that a message, or an echo, is shown no longer. */
export async function noteRetraction(db: Reader, eventId: string, at: Date): Promise<void> {
  await db.execute(sql`
    insert into retractions (event_id, retracted_at) values (${eventId}, ${at.toISOString()}::timestamptz)
    on conflict do nothing`)
}

export async function isRetracted(db: Reader, eventIds: readonly string[]): Promise<boolean> {
  const found = await db.execute(sql`
    select from retractions where event_id = any(${sql.param([...eventIds])}::text[]) limit 1`)
  return (found.rowCount ?? 0) > 0
}

type Departure = { userId: string; roomId: string; roomSeq: bigint }

/** Notes that a user, whose shard is held, has lost a room. Nobody tells deleted people of it. */
export async function noteDeparture(tx: Tx, { userId, roomId, roomSeq }: Departure, at: Date): Promise<void> {
  await tx.execute(sql`
    insert into departures (user_id, room_id, room_seq, left_at)
    select ${userId}, ${roomId}, ${roomSeq}, ${at.toISOString()}::timestamptz
    where not exists (select from erasures where user_id = ${userId})
    on conflict (user_id, room_id) do update set room_seq = excluded.room_seq, left_at = excluded.left_at
    where departures.room_seq < excluded.room_seq`)
}
