import { filled, lineAndKey, mayTakePlace, moveMarker, outcome } from './append-parts.ts'
import { statement, type Connection } from './statement.ts'
import type { PostedEntry } from '../domain/entry-holes.ts'

/** What every post carries. */
export type NewMessage = {
  roomId: string
  /** Version of the header that permissions were resolved with. */
  version: bigint
  authorId: string
  /** The room takes the author in without a membership. */
  openToAuthor: boolean
  key: string | undefined
  digest: Uint8Array
  eventId: string
  createdAt: Date
  body: string
  inReplyTo: string
  entry: PostedEntry
}

/** `met` false: another version, no member, or banned. `met` without a place: the key is taken. */
export type Appended = { met: boolean; seq: bigint | null; entries: bigint[] }

const append = statement<Appended>(
  'append_message',
  `${lineAndKey}, place as (
  update room_lines l
  set room_seq = l.room_seq + 1, last_message_seq = l.room_seq + 1, last_message_at = $8::timestamptz
  from line where ${mayTakePlace}
  returning l.room_seq as seq
), event as (
  insert into room_events (room_id, seq, event_id, kind, in_timeline, actor_id, created_at, body, in_reply_to)
  select $1, seq, $7, 'message_posted', true, $3, $8::timestamptz, $9, $10 from place
), marker as (${moveMarker('seq', 'place')}
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $11::integer, $12, $13, $7, ${filled('$14', '$15', 'seq')} from place
  returning id
)${outcome}`,
)

/** Parameters 1 to 15. */
export const messageParameters = (message: NewMessage): unknown[] => [
  message.roomId,
  message.version,
  message.authorId,
  message.openToAuthor,
  message.key ?? null,
  message.digest,
  message.eventId,
  message.createdAt,
  message.body,
  message.inReplyTo || null,
  message.entry.shard,
  message.entry.aggregate,
  message.entry.subject,
  message.entry.payload,
  message.entry.holes,
]

/** Writes a root message or a flat reply in one statement. */
export async function appendMessage(on: Connection, message: NewMessage): Promise<Appended> {
  const [row] = await append.run(on, messageParameters(message))
  if (!row) throw new Error('append_message always answers one row')
  return row
}
