import { and, count, eq, inArray } from 'drizzle-orm'
import type { Db } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { inbox } from '../schema.ts'
import { isConsumerMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import { decodeBatch } from '../stream/decode.ts'
import { newestUpTo } from '../stream/newest.ts'
import { eventStream } from '../subjects.ts'

/**
 * Deletes a durable when the database is older than what was acknowledged on its behalf: it was restored from a copy, and
 * what was handled after the copy is lost. Declared anew, the durable begins at the first event there is; the inbox, as
 * old as the rest of the database, drops what the copy holds. For consumers of every kind under their subject.
 */
export async function startAnewWhenRestored(db: Db, bus: Bus, consumer: string): Promise<void> {
  const acknowledged = await lastAcknowledged(bus, consumer)
  if (acknowledged.length === 0) return
  const [noted] = await db
    .select({ count: count() })
    .from(inbox)
    .where(and(eq(inbox.consumer, consumer), inArray(inbox.eventId, acknowledged)))
  if (noted?.count === acknowledged.length) return
  logger('consumer').warn({ consumer }, 'the database is older than the stream: events are handled again')
  const { manager } = await jetStream(bus)
  await manager.consumers.delete(eventStream, consumer).catch((error: unknown) => {
    if (!isConsumerMissing(error)) throw error
  })
}

/** Ids of the events in the newest message below which everything is acknowledged; none when it is not there any more. */
async function lastAcknowledged(bus: Bus, consumer: string): Promise<string[]> {
  const { manager } = await jetStream(bus)
  const info = await manager.consumers.info(eventStream, consumer).catch((error: unknown) => {
    // Not declared yet, or deleted: a durable that is declared anew begins at the first event anyway.
    if (isConsumerMissing(error) || isStreamMissing(error)) return undefined
    throw error
  })
  if (info === undefined) return []
  const { ack_floor, config } = info
  // Nothing was acknowledged by this durable yet: the floor is where it began.
  if (ack_floor.consumer_seq === 0) return []
  // The floor moves on over messages that are for others, so it says nothing about the message that lies there.
  const message = await newestUpTo(manager, config.filter_subject ?? '>', ack_floor.stream_seq)
  if (message === undefined) return []
  try {
    return [...new Set(decodeBatch(message.data).map(({ id }) => id))]
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}
