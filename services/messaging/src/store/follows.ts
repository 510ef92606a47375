import { defineReaderChange, type ReaderEntry } from './readers.ts'
import { statement, type Connection } from './statement.ts'

const decide = defineReaderChange(
  'decide_following',
  `insert into thread_follows (room_id, root_event_id, user_id, following) select $8, $9, $1, $10::boolean from reader
  on conflict (room_id, root_event_id, user_id) do update set following = excluded.following
  where thread_follows.following <> excluded.following
  returning 1`,
)

/** Returns the outbox entry of the event; none if nothing changed or the user's account is deleted. */
export const decideFollowing = (
  on: Connection,
  change: ReaderEntry,
  { roomId, rootEventId }: { roomId: string; rootEventId: string },
  following: boolean,
): Promise<bigint[]> => decide(on, change, [roomId, rootEventId, following])

const followers = statement<{ userId: string }>(
  'list_followers',
  `select user_id as "userId" from thread_follows
where room_id = $1 and root_event_id = $2 and user_id > $3 and following
order by user_id limit $4::integer`,
)

export async function listFollowers(
  on: Connection,
  { roomId, rootEventId }: { roomId: string; rootEventId: string },
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  return (await followers.run(on, [roomId, rootEventId, after, limit])).map(({ userId }) => userId)
}
