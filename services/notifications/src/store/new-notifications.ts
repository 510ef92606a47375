import { derivedId } from '@parley/ids'
import { sqlRows, type Tx } from '@parley/postgres'
import { sql, type SQL } from 'drizzle-orm'
import type { Recipient } from '../domain/candidates.ts'
import type { NotificationKind } from '../domain/tag.ts'
import type { Message } from '../domain/message.ts'

export type Created = { id: string; userId: string; kind: NotificationKind; silent: boolean; eventId: string }

/**
 * SQL condition: whether a marker or departure refers to a log that was lost when the database of messaging was
 * restored. Such a row is older than the message, although its place is not before that of the message. Clocks are
 * assumed to differ by less than two seconds.
 */
const isOfLostLog = (roomSeq: SQL, at: SQL): SQL =>
  sql`(${roomSeq} >= r."roomSeq" and ${at} < r."postedAt" - interval '2 s' and r."resolvedLater" is not true)`

/**
 * Skips retracted messages, and recipients who have a notification for the message, whose level forbids it, who have
 * read the message or left the room, or who are deleted. The caller must have locked the users' shards with
 * `lockShards`. A later notification of a person has a later time, regardless of clock differences.
 */
export async function insertNotifications(
  tx: Tx,
  drafts: readonly { message: Message; recipients: readonly Recipient[]; at: Date }[],
): Promise<Created[]> {
  const rows = drafts.flatMap(({ message, recipients, at }) =>
    recipients.map((one) => ({
      ...{ ...message, ...one, roomSeq: String(message.roomSeq), at },
      id: derivedId('notification', message.messageId, one.userId),
    })),
  )
  if (rows.length === 0) return []
  return sqlRows<Created>(
    tx,
    sql`
    with r as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, "userId" text, "roomId" text,
        "messageId" text, "eventId" text, kind text, "actorId" text, "threadRootEventId" text, "inReplyTo" text,
        "roomSeq" bigint, "postedAt" timestamptz, "resolvedLater" boolean, at timestamptz, silent boolean)
    ), markers_gone as (
      delete from read_markers m using r
      where m.user_id = r."userId" and m.room_id = r."roomId" and m.thread_root_event_id = r."threadRootEventId"
        and ${isOfLostLog(sql`m.room_seq`, sql`m.moved_at`)}
    ), departures_gone as (
      delete from departures d using r
      where d.user_id = r."userId" and d.room_id = r."roomId" and ${isOfLostLog(sql`d.room_seq`, sql`d.left_at`)}
    )
    insert into notifications (id, user_id, room_id, message_id, event_id, kind, actor_id, thread_root_event_id,
      in_reply_to, room_seq, silent, created_at)
    select r.id, r."userId", r."roomId", r."messageId", r."eventId", r.kind, r."actorId", r."threadRootEventId",
      r."inReplyTo", r."roomSeq", r.silent,
      greatest(r.at, latest.created_at + row_number() over (partition by r."userId" order by r.at) * interval '1 ms')
    from r
    left join notification_levels of_room on of_room.user_id = r."userId" and of_room.room_id = r."roomId"
    left join notification_levels of_server on of_server.user_id = r."userId" and of_server.room_id = ''
    cross join lateral (select coalesce(of_room.level, of_server.level, 'normal') as level) effective
    left join lateral (
      select n.created_at from notifications n where n.user_id = r."userId" order by n.created_at desc limit 1
    ) latest on true
    where effective.level <> 'muted' and (r.kind <> 'room_message' or effective.level = 'all_messages')
      and not exists (select from retractions t where t.event_id in (r."messageId", r."eventId"))
      and not exists (select from erasures e where e.user_id = r."userId")
      and not exists (
        select from read_markers m
        where m.user_id = r."userId" and m.room_id = r."roomId" and m.thread_root_event_id = r."threadRootEventId"
          and m.room_seq >= r."roomSeq"
          and not ${isOfLostLog(sql`m.room_seq`, sql`m.moved_at`)}
      )
      and not exists (
        select from departures d
        where d.user_id = r."userId" and d.room_id = r."roomId" and d.room_seq >= r."roomSeq"
          and not ${isOfLostLog(sql`d.room_seq`, sql`d.left_at`)}
      )
    order by r.at
    on conflict do nothing
    returning id, user_id as "userId", kind, silent, event_id as "eventId"`,
  )
}
