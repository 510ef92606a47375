import { statement, type Connection } from './statement.ts'

/** The beginning of a message, in Markdown. */
export type Beginning = { eventId: string; markdown: string; attachments: number }

/** Enough for one line of text, whatever markup precedes it. */
const characters = 1000

/** An echo has the text and files of its reply. */
const read = statement<Beginning>(
  'read_beginnings',
  `select e.event_id as "eventId", left(coalesce(o.body, e.body, ''), ${characters}) as markdown, (
    select count(*)::integer from message_attachments a where a.room_id = e.room_id and a.seq = coalesce(o.seq, e.seq)
  ) as attachments
from unnest($1::text[], $2::text[]) as asked (room_id, event_id)
join lateral (
  select * from room_events e where e.room_id = asked.room_id and e.event_id = asked.event_id limit 1
) e on e.kind = 'message_posted' and e.deleted_at is null
left join lateral (
  select * from room_events o where o.room_id = e.room_id and o.event_id = e.echo_of_event_id limit 1
) o on true
where o.deleted_at is null`,
)

/** The beginnings of the texts of those messages that are visible. */
export function readBeginnings(
  on: Connection,
  messages: readonly { roomId: string; eventId: string }[],
): Promise<Beginning[]> {
  return read.run(on, [messages.map(({ roomId }) => roomId), messages.map(({ eventId }) => eventId)])
}
