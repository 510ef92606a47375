import { and, count, eq, inArray } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper } from '../keep/requests.ts'
import { inbox } from '../schema.ts'
import { durableName } from '../subjects.ts'
import type { Durable } from './durable.ts'

/**
 * Recreates a durable at the first event on the stream if the database is older than what was acknowledged for it: the
 * database was restored from a backup, and later work is lost. The inbox, restored with the database, drops events that
 * the backup already contains. For consumers of every kind under their subject.
 */
export async function startAnewWhenRestored(
  db: Db,
  bus: Bus,
  { service, durable, subject }: Durable & { subject: string },
): Promise<void> {
  const { eventIds } = await requestKeeper(bus, 'acknowledged', { durable }, service)
  if (eventIds.length === 0) return
  const consumer = durableName(service, durable)
  const [noted] = await db
    .select({ count: count() })
    .from(inbox)
    .where(and(eq(inbox.consumer, consumer), inArray(inbox.eventId, eventIds)))
  if (noted?.count === eventIds.length) return
  logger('consumer').warn({ consumer }, 'the database is older than the stream: events are handled again')
  await requestKeeper(bus, 'durable', { durable, subject, anew: true }, service)
}
