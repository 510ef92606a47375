import { anyPlace } from '../domain/entry-holes.ts'

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
 * A payload with a number written over its holes (see `findHoles`), as a protobuf varint padded to their length: the
 * statement that stores the payload also draws the number.
 */
export function filled(
  payload: string,
  holes: string,
  number: string,
  { bytes, count }: { bytes: number; count: number } = { bytes: anyPlace.bytes, count: 2 },
): string {
  const varint = Array.from({ length: bytes }, (_, index) => index).reduce(
    (written, index) => {
      const more = index < bytes - 1 ? ' | 128' : ''
      return `set_byte(${written}, ${index}, ((${number} >> ${7 * index} & 127)${more})::integer)`
    },
    `'\\x${'00'.repeat(bytes)}'::bytea`,
  )
  return Array.from({ length: count }).reduce<string>(
    (written, _, index) => `overlay(${written} placing ${varint} from (${holes}::integer[])[${index + 1}])`,
    `${payload}::bytea`,
  )
}
