import { CommitChannel, type Tx } from '@parley/postgres'
import { outbox } from '../schema.ts'
import { outgoing, type OutgoingEvent } from './outgoing.ts'

/** Notifies relays of the ids of entries that `enqueue` wrote, after commit. */
export const entriesWritten = new CommitChannel<readonly bigint[]>()

/**
 * Writes events into the outbox in the transaction of their change, which must hold the lock of the aggregate's row.
 * The relay of this process is notified after the commit. Returns the ids of the entries, in order, for `relay.stored`.
 * Throws the errors of `outgoing`.
 */
export async function enqueue(tx: Tx, events: OutgoingEvent | readonly OutgoingEvent[]): Promise<bigint[]> {
  const rows = (Array.isArray(events) ? events : [events]).map(outgoing)
  if (rows.length === 0) return []
  const inserted = await tx.insert(outbox).values(rows).returning({ id: outbox.id })
  const ids = inserted.map((row) => row.id)
  entriesWritten.notify(tx, ids)
  return ids
}
