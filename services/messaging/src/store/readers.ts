import { outgoing, versionOfNow, type OutgoingEvent } from '@parley/events'
import { statement, type Connection } from './statement.ts'

const raise = statement<{ version: bigint }>(
  'raise_reader',
  `insert into readers (user_id, version) values ($1, ${versionOfNow})
on conflict (user_id) do update set version = greatest(readers.version + 1, excluded.version)
returning version`,
)

const store = statement<{ id: bigint }>(
  'store_reader_event',
  'insert into outbox (shard, aggregate, subject, event_id, payload) values ($1, $2, $3, $4, $5) returning id',
)

/** Stores an event of the aggregate `reader` and locks its row until the transaction ends. Returns the outbox entry. */
export async function storeReaderEvent(
  on: Connection,
  userId: string,
  toEvent: (version: bigint) => OutgoingEvent,
): Promise<bigint[]> {
  const [reader] = await raise.run(on, [userId])
  if (!reader) throw new Error('raise_reader did not return a row')
  const { shard, aggregate, subject, eventId, payload } = outgoing(toEvent(reader.version))
  return (await store.run(on, [shard, aggregate, subject, eventId, payload])).map(({ id }) => id)
}
