import { maxFollowersInEvent, type ReplyTarget } from '../domain/placement.ts'
import { statement, type Connection } from './statement.ts'

const root = 'coalesce(e.thread_root_event_id, e.event_id)'

const read = statement<ReplyTarget>(
  'read_targets',
  `select e.event_id as "eventId", e.kind, e.actor_id as "actorId", e.thread_root_event_id as "threadRootEventId",
  e.echo_of_event_id as "echoOfEventId", e.echo_from_thread_root_event_id as "echoFromThreadRootEventId",
  r.actor_id as "rootActorId",
  exists (select from threads t where t.room_id = e.room_id and t.root_event_id = ${root}) as "hasReplies",
  exists (
    select from thread_follows f
    where f.room_id = e.room_id and f.root_event_id = ${root} and f.user_id = coalesce(r.actor_id, e.actor_id)
  ) as "rootActorDecided",
  array(
    select f.user_id from thread_follows f
    where f.room_id = e.room_id and f.root_event_id = ${root} and f.following
    order by f.user_id limit ${maxFollowersInEvent + 1}
  ) as "followerIds"
from room_events e
left join room_events r on r.room_id = e.room_id and r.event_id = e.thread_root_event_id
where e.room_id = $1 and e.event_id = any ($2::text[])`,
)

export function findTargets(on: Connection, roomId: string, eventIds: readonly string[]): Promise<ReplyTarget[]> {
  return read.run(on, [roomId, eventIds])
}
