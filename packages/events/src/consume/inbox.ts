import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Event } from '@parley/contracts/internal'
import type { Db, Tx } from '@parley/postgres'
import { inbox, parkedEvents } from '../schema.ts'

// Longer than an event can stay on the stream, even if it was relayed again an hour after it was first handled.
const keepHours = 75
const deleteAtOnce = 5000

/** Returns false if this consumer has already handled the event. */
export async function recordHandled(tx: Tx, consumer: string, eventId: string): Promise<boolean> {
  const inserted = await tx
    .insert(inbox)
    .values({ consumer, eventId })
    .onConflictDoNothing()
    .returning({ id: inbox.eventId })
  return inserted.length === 1
}

/** Returns the events that this consumer has not handled before, without duplicates, in order. */
export async function recordAllHandled(tx: Tx, consumer: string, events: readonly Event[]): Promise<Event[]> {
  // Sorted, so that processes recording the same events cannot deadlock.
  const ids = [...new Set(events.map(({ id }) => id))].sort()
  const result = await tx.execute<{ event_id: string }>(sql`
    insert into inbox (consumer, event_id) select ${consumer}, id from unnest(${sql.param(ids)}::text[]) id
    on conflict do nothing returning event_id`)
  const inserted = new Set(result.rows.map(({ event_id }) => event_id))
  return events.filter(({ id }) => inserted.delete(id))
}

/** Deletes the recorded failures of events, except those of parked ones. */
export async function forgetFailures(tx: Tx, consumer: string, eventIds: readonly string[]): Promise<void> {
  const isOfEvents = and(eq(parkedEvents.consumer, consumer), inArray(parkedEvents.eventId, eventIds))
  await tx.delete(parkedEvents).where(and(isOfEvents, isNull(parkedEvents.parkedAt)))
}

export async function deleteOldEntries(db: Db, consumer: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const result = await db.execute(sql`
      delete from inbox where (consumer, event_id) in (
        select consumer, event_id from inbox
        where consumer = ${consumer} and received_at < now() - ${keepHours} * interval '1 hour'
        limit ${deleteAtOnce} for update skip locked)`)
    if ((result.rowCount ?? 0) < deleteAtOnce) return
  }
}
