import { roomSeqPlaceholder } from '../domain/entry-holes.ts'

/*
 * Parts of the statements that write posts. They lock the row of the room and compare its version with that for which
 * permissions were resolved. After waiting for the lock, PostgreSQL reads only that row again (READ COMMITTED), not
 * memberships and bans. That suffices: every fact increases the version, so with an unchanged version they have not
 * changed either. A refused post is a row, not an error.
 */

/** SQL condition: banned from room $1, or deleted. */
export const isBannedOrDeleted = (user: string) => `(coalesce((
    select b.banned and (b.expires_at is null or b.expires_at > now())
    from line_bans b where b.room_id = $1 and b.user_id = ${user}
  ), false) or exists (select from erasures where user_id = ${user}))`

/**
 * The end of an insert that takes an idempotency key, unless it was used in the last 24 hours. Returns the row in both
 * cases; see `isTaken`.
 */
export const takeKey = `on conflict (caller_id, key) do update
  set ${['digest', 'room_id', 'event_id', 'created_at'].map(keepIfFresh).join(', ')}
  returning caller_id, key, digest, room_id, event_id, created_at`

function keepIfFresh(column: string): string {
  const fresh = `message_keys.created_at >= now() - interval '24 hours'`
  return `${column} = case when ${fresh} then message_keys.${column} else excluded.${column} end`
}

/** SQL condition: this statement took the key. `now()` is more precise than `created_at`. */
export const isTaken = (eventId: string) => `key.event_id = ${eventId} and key.created_at = now()::timestamptz(3)`

/**
 * The end of an insert of read markers, which only move forward. Clocks differ, so a later place may have an earlier
 * time.
 */
export const moveMarker = (table: string, key: string) => `on conflict (${key}) do update
  set seq = excluded.seq, read_at = greatest(${table}.read_at, excluded.read_at)
  where ${table}.seq < excluded.seq`

/**
 * SQL: the payload with a number in its holes (see `findHoles`), as a varint padded to the length of a hole. The first
 * three parameters are SQL expressions. The default is two holes for a place in the log.
 */
export function fillHoles(
  payload: string,
  holes: string,
  number: string,
  { bytes, count }: { bytes: number; count: number } = { bytes: roomSeqPlaceholder.bytes, count: 2 },
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
