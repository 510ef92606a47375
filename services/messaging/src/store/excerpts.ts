import { statement, type Connection } from './statement.ts'

export type Excerpt = { eventId: string; markdown: string; attachments: number }

/** More than an excerpt needs, because markup is removed. */
const characters = 1000

const read = statement<Excerpt>(
  'read_excerpts',
  `select e.event_id as "eventId", left(coalesce(o.body, e.body, ''), ${characters}) as markdown, (
    select count(*)::integer from message_attachments a where a.room_id = e.room_id and a.seq = coalesce(o.seq, e.seq)
  ) as attachments
from unnest($1::text[], $2::text[]) as requested (room_id, event_id)
join lateral (
  select * from room_events e where e.room_id = requested.room_id and e.event_id = requested.event_id limit 1
) e on e.kind = 'message_posted' and e.deleted_at is null
left join lateral (
  select * from room_events o where o.room_id = e.room_id and o.event_id = e.echo_of_event_id limit 1
) o on true
where o.deleted_at is null`,
)

export function readExcerpts(
  on: Connection,
  messages: readonly { roomId: string; eventId: string }[],
): Promise<Excerpt[]> {
  return read.run(on, [messages.map(({ roomId }) => roomId), messages.map(({ eventId }) => eventId)])
}
