import { holeBytes } from '../domain/entry-holes.ts'

/*
 * Parts of the statements that write posts. The row of the room is locked and compared with the version for which
 * permissions were resolved. READ COMMITTED re-reads only that row; but every fact increases the version, so if it is
 * unchanged, membership and bans from the statement's start are still valid. Refusals are rows, never errors.
 */

/** Whether the user is banned from room $1, or deleted. */
export const banned = (user: string) => `(coalesce((
    select b.banned and (b.expires_at is null or b.expires_at > now())
    from line_bans b where b.room_id = $1 and b.user_id = ${user}
  ), false) or exists (select from erasures where user_id = ${user}))`

/**
 * Stores an idempotency key for an event, unless the key was used in the last 24 hours. The row is returned in both
 * cases, so that a repeated call finds the message that was posted; see `isTaken`.
 */
export const takeKey = `on conflict (caller_id, key) do update
  set ${['digest', 'room_id', 'event_id', 'created_at'].map(keepIfFresh).join(', ')}
  returning caller_id, key, digest, room_id, event_id, created_at`

function keepIfFresh(column: string): string {
  const fresh = `message_keys.created_at >= now() - interval '24 hours'`
  return `${column} = case when ${fresh} then message_keys.${column} else excluded.${column} end`
}

/** Whether this statement took the key for the event; the column has milliseconds. */
export const isTaken = (eventId: string) => `key.event_id = ${eventId} and key.created_at = now()::timestamptz(3)`

/** Markers only move forward. A later place may have an earlier time, because clocks of processes differ. */
export const moveMarker = (table: string, key: string) => `on conflict (${key}) do update
  set seq = excluded.seq, read_at = greatest(${table}.read_at, excluded.read_at)
  where ${table}.seq < excluded.seq`

/**
 * A payload with its place written over both holes (see `toPostedEntry`), as a protobuf varint padded to their length:
 * the statement that stores the payload also draws the place.
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
