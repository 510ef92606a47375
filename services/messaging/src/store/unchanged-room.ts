import type { OutboxRow } from '@parley/events'
import { statement, type Connection } from './statement.ts'

/** The state of the room when a change was decided, and the event, which takes the next place. */
export type DecidedState = { roomId: string; userId: string; version: bigint; roomSeq: bigint; entry: OutboxRow }

/**
 * Defines a statement that changes a message, takes a place and stores the event, unless the room has changed since the
 * decision, the message is retracted or the user is erased. It locks the room's row and compares version and last
 * place: every change takes a place under that lock. Then it locks the message, because processes of an earlier release
 * erase messages without taking a place.
 * @param written CTEs that select from `unchanged_room`, which has a row if the change may be made. The last CTE is
 * named `written` and has one row if it was made. $1 is the room, $2 the user, $10 the place of the message; $11 and
 * following belong to the change.
 * @param result What to select from `written` in addition to `entries`.
 */
export function defineChangeIfRoomUnchanged<Row extends object>(name: string, written: string, result: string) {
  const { run } = statement<Row & { entries: bigint[] }>(
    name,
    `with unchanged_room as materialized (
  select from room_lines l join room_events e on e.room_id = l.room_id and e.seq = $10::bigint
  where l.room_id = $1 and l.version = $3::bigint and l.room_seq = $4::bigint and e.deleted_at is null
    and not exists (select from erasures where user_id = $2)
  for no key update of l, e
), ${written}, place as (
  update room_lines l set room_seq = l.room_seq + 1 from written where l.room_id = $1
), entry as (
  insert into outbox (shard, aggregate, subject, event_id, payload)
  select $5::integer, $6, $7, $8, $9::bytea from written
  returning id
)
select array(select id from entry) as entries, ${result}`,
  )
  return {
    /** Returns undefined if nothing was written. */
    async run(
      on: Connection,
      at: DecidedState,
      values: readonly unknown[],
    ): Promise<(Row & { entries: bigint[] }) | undefined> {
      const { shard, aggregate, subject, eventId, payload } = at.entry
      const state = [at.roomId, at.userId, at.version, at.roomSeq]
      return (await run(on, [...state, shard, aggregate, subject, eventId, payload, ...values]))[0]
    },
  }
}
