import { eraseMessages, eraseReactions } from './erase-messages.ts'
import { statement, type Connection } from './statement.ts'

const rows = statement<{ erased: number }>(
  'erase_rows_of_user',
  `with keys as (
  delete from message_keys where (caller_id, key) in (select caller_id, key from message_keys where caller_id = $1 limit $2::integer)
  returning 1
), markers as (
  delete from room_markers where (room_id, user_id) in (select room_id, user_id from room_markers where user_id = $1 limit $2::integer)
  returning 1
), follows as (
  delete from thread_follows where (room_id, root_event_id, user_id) in (
    select room_id, root_event_id, user_id from thread_follows where user_id = $1 limit $2::integer
  )
  returning 1
), thread_marks as (
  delete from thread_markers where (room_id, root_event_id, user_id) in (
    select room_id, root_event_id, user_id from thread_markers where user_id = $1 limit $2::integer
  )
  returning 1
), watermarks as (
  delete from thread_watermarks where (user_id, room_id) in (
    select user_id, room_id from thread_watermarks where user_id = $1 limit $2::integer
  )
  returning 1
), versions as (
  delete from readers where user_id = $1 returning 1
), levels as (
  delete from notification_levels where (user_id, room_id) in (
    select user_id, room_id from notification_levels where user_id = $1 limit $2::integer
  )
  returning 1
), previews as (
  delete from link_preview_tokens where digest in (select digest from link_preview_tokens where user_id = $1 limit $2::integer)
  returning 1
)
select ((select count(*) from keys) + (select count(*) from markers) + (select count(*) from follows)
  + (select count(*) from thread_marks) + (select count(*) from watermarks) + (select count(*) from versions) + (select count(*) from levels)
  + (select count(*) from previews))::integer
  as erased`,
)

async function eraseOtherRows(on: Connection, userId: string, limit: number): Promise<number> {
  return (await rows.run(on, [userId, limit]))[0]?.erased ?? 0
}

/** Each step erases one batch. It returns 0 only if nothing of its part is left. */
export const eraseSteps = [eraseMessages, eraseReactions, eraseOtherRows]
