import { statement, type Connection } from './statement.ts'

/** Up to $2 messages of a user become placeholders, echoes included; rows that somebody works on are left to the next pass. */
const messages = statement<{ erased: number }>(
  'erase_messages',
  `with batch as (
  select room_id, seq from room_events
  where actor_id = $1 and kind = 'message_posted' and deleted_at is null
  limit $2::integer for no key update skip locked
), changed as (
  update room_events e set body = null, deleted_at = now() from batch
  where e.room_id = batch.room_id and e.seq = batch.seq
  returning 1
)
select count(*)::integer as erased from changed`,
)

/** What else is a user's own: keys of posts with their digests, read markers, followed threads. */
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
), versions as (
  delete from readers where user_id = $1 returning 1
)
select ((select count(*) from keys) + (select count(*) from markers) + (select count(*) from follows)
  + (select count(*) from thread_marks) + (select count(*) from versions))::integer as erased`,
)

/** Each erases up to so many things of a user and answers how many; 0 says that none is left. */
export const erasers = [messages, rows].map(
  ({ run }) =>
    async (on: Connection, userId: string, atOnce: number): Promise<number> =>
      (await run(on, [userId, atOnce]))[0]?.erased ?? 0,
)
