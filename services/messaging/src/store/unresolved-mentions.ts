import { JobQueue, type Job } from '@parley/jobs'
import { isBannedOrDeleted } from './append-parts.ts'
import { maxFollowersInEvent } from '../domain/placement.ts'
import { unresolvedMentions } from './schema.ts'
import { statement, type Connection } from './statement.ts'

export type Unresolved = Job<typeof unresolvedMentions>

export const mentionQueue = new JobQueue(unresolvedMentions, {
  key: ['roomId', 'seq'],
  order: [unresolvedMentions.createdAt],
})

const findBody = statement<{ body: string | null }>(
  'find_unresolved_body',
  `select body from room_events where room_id = $1 and seq = $2`,
)

export async function bodyOf(on: Connection, { roomId, seq }: Unresolved): Promise<string> {
  return (await findBody.run(on, [roomId, seq]))[0]?.body ?? ''
}

const remove = statement<{ roomSeq: bigint }>(
  'delete_unresolved_mentions',
  `delete from unresolved_mentions u using room_lines l
where u.room_id = $1 and u.seq = $2 and l.room_id = $1
returning l.room_seq as "roomSeq"`,
)

/** Returns the last place in the log, which must be locked; undefined if the message is not in the queue. */
export async function deleteUnresolved(on: Connection, { roomId, seq }: Unresolved): Promise<bigint | undefined> {
  return (await remove.run(on, [roomId, seq]))[0]?.roomSeq
}

export type MentioningMessage = {
  eventId: string
  actorId: string
  createdAt: Date
  deletedAt: Date | null
  inReplyTo: string | null
  inReplyToAuthorId: string | null
  threadRootEventId: string | null
  linkPreview: Buffer | null
  assetIds: string[]
  followerIds: string[]
}

const read = statement<MentioningMessage>(
  'read_mentioning_message',
  `select e.event_id as "eventId", e.actor_id as "actorId", e.created_at as "createdAt", e.deleted_at as "deletedAt",
  e.in_reply_to as "inReplyTo", a.actor_id as "inReplyToAuthorId", e.thread_root_event_id as "threadRootEventId",
  e.link_preview as "linkPreview",
  array(
    select m.asset_id from message_attachments m where m.room_id = e.room_id and m.seq = e.seq order by m.position
  ) as "assetIds",
  array(
    select f.user_id from thread_follows f
    where f.room_id = e.room_id and f.root_event_id = e.thread_root_event_id and f.following
    order by f.user_id limit ${maxFollowersInEvent + 1}
  ) as "followerIds"
from room_events e
left join room_events a on a.room_id = e.room_id and a.event_id = e.in_reply_to
where e.room_id = $1 and e.seq = $2`,
)

export const readMentioningMessage = async (
  on: Connection,
  roomId: string,
  seq: bigint,
): Promise<MentioningMessage | undefined> => (await read.run(on, [roomId, seq]))[0]

const follow = statement<{ userId: string }>(
  'follow_as_mentioned',
  `insert into thread_follows (room_id, root_event_id, user_id, following)
select $1, $2, user_id, true from unnest($3::text[], $4::boolean[]) as mentioned (user_id, open)
where (open or coalesce((
    select m.member from line_members m where m.room_id = $1 and m.user_id = mentioned.user_id
  ), false)) and not ${isBannedOrDeleted('mentioned.user_id')}
order by user_id
on conflict (room_id, root_event_id, user_id) do nothing
returning user_id as "userId"`,
)

/** Adds followers: users who are in the room and have not decided about the thread. Returns the added ones. */
export async function followAsMentioned(
  on: Connection,
  thread: { roomId: string; rootEventId: string },
  users: readonly { userId: string; isImplicitMember: boolean }[],
): Promise<string[]> {
  if (users.length === 0) return []
  const columns = [users.map(({ userId }) => userId), users.map(({ isImplicitMember }) => isImplicitMember)]
  const rows = await follow.run(on, [thread.roomId, thread.rootEventId, ...columns])
  return rows.map(({ userId }) => userId)
}
