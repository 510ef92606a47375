import { toOutboxRow, type OutgoingEvent } from '@parley/events'
import { statement, type Connection } from './statement.ts'

const store = statement<{ id: bigint }>(
  'store_log_events',
  `with line as (
  update room_lines set room_seq = room_seq + cardinality($4::text[]) where room_id = $1 returning 1
)
insert into outbox (shard, aggregate, subject, event_id, payload)
select $2::integer, $3, subject, event_id, payload
from line, unnest($4::text[], $5::text[], $6::bytea[]) with ordinality as entry (subject, event_id, payload, n)
order by n
returning id`,
)

/** The events take the next places in this order. The log must be locked. Returns the outbox entries. */
export async function storeLogEvents(
  on: Connection,
  roomId: string,
  events: readonly OutgoingEvent[],
): Promise<bigint[]> {
  const rows = events.map(toOutboxRow)
  const [first] = rows
  if (!first) return []
  const columns = [rows.map((row) => row.subject), rows.map((row) => row.eventId), rows.map((row) => row.payload)]
  const stored = await store.run(on, [roomId, first.shard, first.aggregate, ...columns])
  return stored.map(({ id }) => id)
}
