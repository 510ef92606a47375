import { holeBytes } from '../domain/entry-holes.ts'

/**
 * Parts of the statements that write a post. The row of the room is locked and compared with the version that permissions
 * were resolved for; READ COMMITTED looks again at that row alone, and as every fact raises the version, membership and
 * bans as of the statement's start are as good as the version. Refusals are rows, never errors: a taken key gives none.
 *
 * Parameters: $1 room, $2 version, $3 author, $4 whether membership is not asked for, $5 key or null, $6 digest,
 * $7 event, $8 time, $9 body, $10 in_reply_to, $11 to $15 shard, aggregate, subject, payload and holes of the outbox entry.
 */
export const lineAndKey = `
with standing as materialized (
  select
    coalesce((select m.member from line_members m where m.room_id = $1 and m.user_id = $3), false) as member,
    coalesce((
      select b.banned and (b.expires_at is null or b.expires_at > now())
      from line_bans b where b.room_id = $1 and b.user_id = $3
    ), false) or exists (select from erasures where user_id = $3) as banned
), line as materialized (
  select from room_lines l, standing s
  where l.room_id = $1 and l.version = $2::bigint and (s.member or $4::boolean) and not s.banned
  for no key update of l
), key as (
  insert into message_keys (caller_id, key, digest, room_id, event_id, created_at)
  select $3, $5::text, $6::bytea, $1, $7, now() from line where $5::text is not null
  on conflict (caller_id, key) do update
  set digest = excluded.digest, room_id = excluded.room_id, event_id = excluded.event_id, created_at = excluded.created_at
  where message_keys.created_at < now() - interval '24 hours'
  returning 1
)`

/** The update of the line may go on: it is locked and the key is ours. */
export const mayTakePlace = `l.room_id = $1 and ($5::text is null or exists (select from key))`

/** Moves the author's marker to the place that the expression gives, for each row of `source`. */
export const moveMarker = (place: string, source: string) => `
insert into room_markers (room_id, user_id, seq, read_at) select $1, $3, ${place}, $8::timestamptz from ${source}
on conflict (room_id, user_id) do update set seq = excluded.seq, read_at = excluded.read_at
where room_markers.seq < excluded.seq`

/** What every post answers: whether it met the room at that version with a place in it, the place, and its entries. */
export const outcome = `
select exists (select from line) as met, (select seq from place) as seq, array(select id from entry order by id) as entries`

/**
 * A payload with its place written over both holes (see `toPostedEntry`), as a protobuf varint padded to the length of
 * those: the place is drawn in the statement that stores the payload.
 */
export function filled(payload: string, holes: string, place: string): string {
  const varint = Array.from({ length: holeBytes }, (_, index) => index).reduce(
    (bytes, index) => {
      const more = index < holeBytes - 1 ? ' | 128' : ''
      return `set_byte(${bytes}, ${index}, ((${place} >> ${7 * index} & 127)${more})::integer)`
    },
    `'\\x${'00'.repeat(holeBytes)}'::bytea`,
  )
  const over = (bytes: string, hole: number) =>
    `overlay(${bytes} placing ${varint} from (${holes}::integer[])[${hole}])`
  return over(over(`${payload}::bytea`, 1), 2)
}
