import { and, count, eq, inArray } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { requestKeeper } from '../keep/requests.ts'
import { inbox } from '../schema.ts'
import { durableName } from '../subjects.ts'
import type { Durable } from './durable.ts'

/**
 * If the inbox lacks events that the durable has acknowledged, the database was restored from a backup: the durable is
 * recreated from the first event on the stream, and the inbox drops the events that the backup contains. Only for
 * consumers of all kinds under their subject, because the inbox records only handled events.
 */
export async function recreateIfRestored(
  db: Db,
  bus: Bus,
  { service, durable, subject }: Durable & { subject: string },
): Promise<void> {
  const { eventIds } = await requestKeeper(bus, 'acknowledged', { durable }, service)
  if (eventIds.length === 0) return
  const consumer = durableName(service, durable)
  const [found] = await db
    .select({ count: count() })
    .from(inbox)
    .where(and(eq(inbox.consumer, consumer), inArray(inbox.eventId, eventIds)))
  if (found?.count === eventIds.length) return
  logger('consumer').warn(
    { consumer },
    'the database was restored from an older backup; events on the stream are handled again',
  )
  await requestKeeper(bus, 'durable', { durable, subject, anew: true }, service)
}
