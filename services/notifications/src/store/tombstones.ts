import type { Reader, Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'

export async function recordRetractions(db: Reader, eventIds: readonly string[], at: Date): Promise<void> {
  if (eventIds.length === 0) return
  await db.execute(sql`
    insert into retractions (event_id, retracted_at)
    select distinct id, ${at.toISOString()}::timestamptz from unnest(${sql.param([...eventIds])}::text[]) id
    order by id on conflict do nothing`)
}

export async function isAnyRetracted(db: Reader, eventIds: readonly string[]): Promise<boolean> {
  const found = await db.execute(sql`
    select from retractions where event_id = any(${sql.param([...eventIds])}::text[]) limit 1`)
  return (found.rowCount ?? 0) > 0
}

/** A user's loss of access to a room, with its place in the room's log. */
export type Departure = { userId: string; roomId: string; roomSeq: bigint; at: Date }

/** The caller must have locked the users' shards with `lockShards`. Skips deleted people. */
export async function recordDepartures(tx: Tx, departures: readonly Departure[]): Promise<void> {
  if (departures.length === 0) return
  const rows = departures.map((departure) => ({ ...departure, roomSeq: String(departure.roomSeq) }))
  await tx.execute(sql`
    insert into departures (user_id, room_id, room_seq, left_at)
    select "userId", "roomId", max("roomSeq"), max(at)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as departure ("userId" text, "roomId" text, "roomSeq" bigint, at timestamptz)
    where not exists (select from erasures where user_id = "userId")
    group by "userId", "roomId"
    on conflict (user_id, room_id) do update set room_seq = excluded.room_seq, left_at = excluded.left_at
    where departures.room_seq < excluded.room_seq`)
}
