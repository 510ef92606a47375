import type { Tx } from '@parley/postgres'
import { outbox } from '../schema.ts'
import { outgoing, type OutgoingEvent } from './outgoing.ts'

/**
 * Writes events into the outbox in the transaction of their change, which must hold the lock of the aggregate's row.
 * Returns the entries' ids, in order, for `relay.wake` or `relay.stored` after commit. Throws as `outgoing` does.
 */
export async function enqueue(tx: Tx, events: OutgoingEvent | readonly OutgoingEvent[]): Promise<bigint[]> {
  const rows = (Array.isArray(events) ? events : [events]).map(outgoing)
  if (rows.length === 0) return []
  const inserted = await tx.insert(outbox).values(rows).returning({ id: outbox.id })
  return inserted.map((row) => row.id)
}
