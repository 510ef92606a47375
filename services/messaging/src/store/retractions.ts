import { statement, type Connection } from './statement.ts'

/**
 * SQL: the place of the last shown root message or echo of `room_lines l`, except the rows at `places`.
 * `last_message_at` stays, because it tells whether anything was ever posted.
 */
export const lastShown = (places: string) => `case when l.last_message_seq = any (${places}) then (
  select e.seq from room_events e
  where e.room_id = l.room_id and e.in_timeline and e.kind = 'message_posted' and e.deleted_at is null
    and e.seq < l.last_message_seq and e.seq <> all (${places})
  order by e.seq desc limit 1
) else l.last_message_seq end`

/** SQL condition: the user has a shown reply in this thread of room $1, besides those at `places`. */
export const stillParticipates = (root: string, user: string, places: string) => `exists (
        select from room_events e
        where e.room_id = $1 and e.thread_root_event_id = ${root} and e.actor_id = ${user} and e.deleted_at is null
          and e.seq <> all (${places})
      )`

/** $1 room, $2 places of the message and of its echo, $3 time, $4 root of its thread or null, $5 its author. */
const retract = statement(
  'retract_message',
  `with gone as (
  update room_events set deleted_at = $3, body = null, link_preview = null where room_id = $1 and seq = any ($2::bigint[])
), attachments as (
  delete from message_attachments where room_id = $1 and seq = any ($2::bigint[])
), gone_reactions as (
  delete from reactions where room_id = $1 and seq = any ($2::bigint[])
), tallies as (
  delete from reaction_tallies where room_id = $1 and seq = any ($2::bigint[])
), mentions as (
  delete from unresolved_mentions where room_id = $1 and seq = any ($2::bigint[])
), thread as (
  update threads t
  set reply_count = t.reply_count - 1, last_reply_at = last.created_at, last_reply_seq = last.seq,
      participant_ids = case when ${stillParticipates('$4', '$5', '$2::bigint[]')}
        then t.participant_ids else array_remove(t.participant_ids, $5) end
  from (select) one left join lateral (
    select e.seq, e.created_at from room_events e
    where e.room_id = $1 and e.thread_root_event_id = $4 and e.deleted_at is null and e.seq <> all ($2::bigint[])
    order by e.seq desc limit 1
  ) last on true
  where t.room_id = $1 and t.root_event_id = $4
)
update room_lines l set last_message_seq = ${lastShown('$2::bigint[]')} where l.room_id = $1`,
)

export type Retraction = {
  roomId: string
  places: readonly bigint[]
  threadRootEventId: string | null
  authorId: string
}

/** Placeholders count neither as unread nor as replies. The log must be locked. */
export async function retractMessage(on: Connection, retraction: Retraction, at: Date): Promise<void> {
  const { roomId, places, threadRootEventId, authorId } = retraction
  await retract.run(on, [roomId, places, at, threadRootEventId, authorId])
}

/** $1 room, $2 place of the reply, $3 place of the echo, $4 time. */
const remove = statement(
  'remove_echo',
  `with echo as (
  update room_events set deleted_at = $4, in_timeline = false where room_id = $1 and seq = $3::bigint
), reply as (
  update room_events set channel_echo_event_id = null where room_id = $1 and seq = $2::bigint
)
update room_lines l set last_message_seq = ${lastShown('array[$3::bigint]')} where l.room_id = $1`,
)

/** Leaves no placeholder; the reply stays. The log must be locked. */
export async function removeEcho(
  on: Connection,
  echo: { roomId: string; replySeq: bigint; seq: bigint },
  at: Date,
): Promise<void> {
  await remove.run(on, [echo.roomId, echo.replySeq, echo.seq, at])
}
