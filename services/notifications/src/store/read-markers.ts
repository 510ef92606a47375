import { sqlRows, type Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'

/** How far a user has read a main timeline or a thread, and when. */
export type ReadMarker = { userId: string; roomId: string; threadRootEventId: string; roomSeq: bigint; at: Date }

/**
 * Moves markers forward; returns the moved ones. Skips deleted people. The caller must have locked the users' shards with
 * `lockShards`.
 */
export async function moveMarkers(tx: Tx, places: readonly ReadMarker[]): Promise<Omit<ReadMarker, 'at'>[]> {
  if (places.length === 0) return []
  const rows = places.map((place) => ({ ...place, roomSeq: String(place.roomSeq) }))
  return sqlRows<Omit<ReadMarker, 'at'>>(
    tx,
    sql`
    insert into read_markers (user_id, room_id, thread_root_event_id, room_seq, moved_at)
    select "userId", "roomId", "threadRootEventId", max("roomSeq"), max(at)
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as place ("userId" text, "roomId" text, "threadRootEventId" text, "roomSeq" bigint, at timestamptz)
    where not exists (select from erasures where user_id = "userId")
    group by "userId", "roomId", "threadRootEventId"
    on conflict (user_id, room_id, thread_root_event_id)
    do update set room_seq = excluded.room_seq, moved_at = excluded.moved_at
    where read_markers.room_seq < excluded.room_seq
    returning user_id as "userId", room_id as "roomId", thread_root_event_id as "threadRootEventId",
      room_seq as "roomSeq"`,
  )
}
