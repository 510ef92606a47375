import { and, eq, inArray, isNotNull, lte, sql, type SQL } from 'drizzle-orm'
import { sqlRows, type Db, type Tx } from '@parley/postgres'
import { roomsToHandOver } from '../handover/hand-over.ts'
import { entriesWritten } from '../outbox/enqueue.ts'
import { shardOf } from '../outbox/shards.ts'
import { handovers, outbox, parkedEvents } from '../schema.ts'
import { aggregateOf } from '../subjects.ts'

export type ParkedEntry = Pick<typeof parkedEvents.$inferSelect, 'eventId' | 'subject' | 'payload'>

export type Requeue = (tx: Tx, entries: readonly ParkedEntry[]) => Promise<void>

const entriesPerBatch = 100

/** Events are sent unchanged, although their aggregates may have changed since. */
export const requeueForStream: Requeue = async (tx, entries) => {
  const rows = entries.map(({ eventId, subject, payload }) => {
    const aggregate = aggregateOf(subject).split('.').slice(-2).join('.')
    return { shard: shardOf(aggregate), aggregate, subject, eventId, payload }
  })
  const inserted = await tx.insert(outbox).values(rows).returning({ id: outbox.id })
  entriesWritten.notify(
    tx,
    inserted.map(({ id }) => id),
  )
}

export const requeueForMessaging: Requeue = async (tx, entries) => {
  const rows = entries.map(({ subject, payload }) => ({ roomId: subject.split('.')[2] ?? '', payload }))
  await tx.insert(handovers).values(rows)
  for (const { roomId } of rows) roomsToHandOver.notify(tx, roomId)
}

/** Requeues each selected entry once; returns their number. Entries that fail again are parked again. */
export async function requeueParked(
  db: Db,
  requeues: ReadonlyMap<string, Requeue>,
  selected: SQL | undefined,
): Promise<number> {
  const [clock] = await sqlRows<{ now: Date }>(db, sql`select clock_timestamp() as now`)
  let requeued = 0
  for (const [consumer, requeue] of requeues) {
    for (let moved = entriesPerBatch; moved === entriesPerBatch; requeued += moved) {
      moved = await db.transaction(async (tx) => {
        const some = tx
          .select({ eventId: parkedEvents.eventId })
          .from(parkedEvents)
          .where(
            and(
              eq(parkedEvents.consumer, consumer),
              isNotNull(parkedEvents.parkedAt),
              clock && lte(parkedEvents.parkedAt, clock.now),
              selected,
            ),
          )
          .limit(entriesPerBatch)
          .for('update', { skipLocked: true })
        const entries = await tx
          .delete(parkedEvents)
          .where(and(eq(parkedEvents.consumer, consumer), inArray(parkedEvents.eventId, some)))
          .returning({ eventId: parkedEvents.eventId, subject: parkedEvents.subject, payload: parkedEvents.payload })
        if (entries.length > 0) await requeue(tx, entries)
        return entries.length
      })
    }
  }
  return requeued
}
