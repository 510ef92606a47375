import type { Tx } from '@parley/postgres'
import { sql } from 'drizzle-orm'

/** A place in a main timeline, or in a thread, up to which somebody has read. */
export type Place = { userId: string; roomId: string; threadRootEventId: string; roomSeq: bigint }

/** Moves a marker of a user, whose shard is held, forward; false when it stands there already, or further on. None for deleted people. */
export async function moveMarker(tx: Tx, place: Place, at: Date): Promise<boolean> {
  const { userId, roomId, roomSeq, threadRootEventId } = place
  const moved = await tx.execute(sql`
    insert into read_markers (user_id, room_id, thread_root_event_id, room_seq, moved_at)
    select ${userId}, ${roomId}, ${threadRootEventId}, ${roomSeq}, ${at.toISOString()}::timestamptz
    where not exists (select from erasures where user_id = ${userId})
    on conflict (user_id, room_id, thread_root_event_id)
    do update set room_seq = excluded.room_seq, moved_at = excluded.moved_at
    where read_markers.room_seq < excluded.room_seq`)
  return (moved.rowCount ?? 0) > 0
}
