import { withLockedLog, skipPlace } from './rooms.ts'
import { lastShown, stillParticipates } from './retractions.ts'
import { statement, type Connection, type Pool } from './statement.ts'

type InRoom = { roomId: string }

const roomWithMessages = statement<InRoom>(
  'room_with_messages_of',
  `select room_id as "roomId" from room_events
where actor_id = $1 and kind = 'message_posted' and deleted_at is null limit 1`,
)

/** Up to $3 messages of user $2 in room $1, echoes included. */
const retractSome = statement<{ erased: number }>(
  'erase_messages',
  `with batch as materialized (
  select e.seq, e.thread_root_event_id as root from room_events e
  where e.room_id = $1 and e.actor_id = $2 and e.kind = 'message_posted' and e.deleted_at is null
  limit $3::integer
), places as materialized (
  select array_agg(seq) as seqs from batch
), gone as (
  update room_events e set body = null, link_preview = null, deleted_at = now() from batch
  where e.room_id = $1 and e.seq = batch.seq
), attachments as (
  delete from message_attachments a using batch where a.room_id = $1 and a.seq = batch.seq
), gone_reactions as (
  delete from reactions r using batch where r.room_id = $1 and r.seq = batch.seq
), tallies as (
  delete from reaction_tallies t using batch where t.room_id = $1 and t.seq = batch.seq
), mentions as (
  delete from unresolved_mentions u using batch where u.room_id = $1 and u.seq = batch.seq
), thread as (
  update threads t
  set reply_count = t.reply_count - touched.replies, last_reply_at = touched.created_at, last_reply_seq = touched.seq,
      participant_ids = case when ${stillParticipates('t.root_event_id', '$2', 'touched.seqs')}
        then t.participant_ids else array_remove(t.participant_ids, $2) end
  from (
    select root, replies, seqs, last.seq, last.created_at
    from (select root, count(*)::integer as replies from batch where root is not null group by root) of_thread, places
    left join lateral (
      select e.seq, e.created_at from room_events e
      where e.room_id = $1 and e.thread_root_event_id = root and e.deleted_at is null and e.seq <> all (seqs)
      order by e.seq desc limit 1
    ) last on true
  ) touched
  where t.room_id = $1 and t.root_event_id = touched.root
), line as (
  update room_lines l set last_message_seq = ${lastShown('places.seqs')} from places
  where l.room_id = $1 and l.last_message_seq = any (places.seqs)
)
select count(*)::integer as erased from batch`,
)

const roomWithReactions = statement<InRoom>(
  'room_with_reactions_of',
  'select room_id as "roomId" from reactions where user_id = $1 limit 1',
)

/** Up to $3 reactions of user $2 in room $1. A tally that names the user names the next user instead. */
const eraseSomeReactions = statement<{ erased: number }>(
  'erase_reactions',
  `with batch as (
  delete from reactions where (room_id, seq, emoji, user_id) in (
    select room_id, seq, emoji, user_id from reactions where user_id = $2 and room_id = $1 limit $3::integer
  )
  returning seq, emoji
), emptied as (
  delete from reaction_tallies t using batch
  where t.room_id = $1 and t.seq = batch.seq and t.emoji = batch.emoji and t.count = 1
), counted as (
  update reaction_tallies t
  set count = t.count - 1,
      first_user_ids = case when $2 = any (t.first_user_ids) then array_remove(t.first_user_ids, $2) || array(
        select r.user_id from reactions r
        where r.room_id = $1 and r.seq = t.seq and r.emoji = t.emoji and r.user_id <> $2
          and r.user_id <> all (t.first_user_ids)
        order by r.created_at, r.user_id limit 1
      ) else t.first_user_ids end
  from batch
  where t.room_id = $1 and t.seq = batch.seq and t.emoji = batch.emoji and t.count > 1
)
select count(*)::integer as erased from batch`,
)

type EraseBatch = (on: Connection, roomId: string) => Promise<{ erased: number }[]>

/** Erases one batch in the found room. Returns the number of erased rows, but at least 1; 0 if no room was found. */
async function eraseInOneRoom(pool: Pool, found: Promise<InRoom[]>, eraseBatch: EraseBatch): Promise<number> {
  const [room] = await found
  if (!room) return 0
  return withLockedLog(pool, room.roomId, async (on) => {
    const [row] = await eraseBatch(on, room.roomId)
    // Changes that were decided before are not written, because the last place of the room is now another one; see
    // `defineChangeIfRoomUnchanged`.
    await skipPlace(on, room.roomId)
    // At least 1, even if another process was faster: other rooms may contain more.
    return Math.max(row?.erased ?? 0, 1)
  })
}

export const eraseMessages = (pool: Pool, userId: string, limit: number): Promise<number> =>
  eraseInOneRoom(pool, roomWithMessages.run(pool, [userId]), (on, roomId) =>
    retractSome.run(on, [roomId, userId, limit]),
  )

export const eraseReactions = (pool: Pool, userId: string, limit: number): Promise<number> =>
  eraseInOneRoom(pool, roomWithReactions.run(pool, [userId]), (on, roomId) =>
    eraseSomeReactions.run(on, [roomId, userId, limit]),
  )
