import { CommitChannel, type Tx } from '@parley/postgres'
import { outbox } from '../schema.ts'
import { toOutboxRow, type OutgoingEvent } from './to-outbox-row.ts'

export const entriesWritten = new CommitChannel<readonly bigint[]>()

/**
 * Writes events into the outbox in the transaction of their change, which must hold the lock of the aggregate's row.
 * Returns the ids of the entries, in order, for `relay.waitUntilStored`. Throws a RangeError for an event
 * that is too large, or whose aggregate id, kind or detail is not valid in a subject.
 */
export async function enqueue(tx: Tx, events: OutgoingEvent | readonly OutgoingEvent[]): Promise<bigint[]> {
  const rows = (Array.isArray(events) ? events : [events]).map(toOutboxRow)
  if (rows.length === 0) return []
  const inserted = await tx.insert(outbox).values(rows).returning({ id: outbox.id })
  const ids = inserted.map((row) => row.id)
  entriesWritten.notify(tx, ids)
  return ids
}
