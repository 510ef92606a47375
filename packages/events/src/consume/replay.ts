import { fromBinary } from '@bufbuild/protobuf'
import { and, asc, eq, isNotNull, sql } from 'drizzle-orm'
import { EventSchema } from '@parley/contracts/internal'
import { CommitChannel, isOutage, type Db } from '@parley/postgres'
import { bindToTrace, logger } from '@parley/telemetry'
import { countReplay } from '../metrics.ts'
import { parkedEvents } from '../schema.ts'
import { processSpan } from '../spans.ts'
import { reasonOf } from './failures.ts'
import type { Handling } from './handle-message.ts'

const log = logger('consumer')

/** Sent to the consumers of this process after an operator requested a replay. */
export const replaysRequested = new CommitChannel()

export type ReplayingConsumer = Pick<Handling, 'db' | 'consumer' | 'prepare'>

/**
 * Handles the parked events whose replay was requested. Nothing else retries them, because the inbox already holds
 * them. An event that fails again stays parked. Resolves with the number of attempts. Rejects while the database or a
 * service is unavailable.
 */
export async function replayParked(replaying: ReplayingConsumer, signal: AbortSignal): Promise<number> {
  const { db, consumer } = replaying
  let attempts = 0
  for (; !signal.aborted; attempts++) {
    const [parked] = await db
      .select()
      .from(parkedEvents)
      .where(and(eq(parkedEvents.consumer, consumer), isNotNull(parkedEvents.replayRequestedAt)))
      .orderBy(asc(parkedEvents.replayRequestedAt), asc(parkedEvents.eventId))
      .limit(1)
    if (!parked) break
    await replay(replaying, parked)
  }
  return attempts
}

type Parked = typeof parkedEvents.$inferSelect

const isStillRequested = ({ consumer, eventId }: Parked) =>
  and(eq(parkedEvents.consumer, consumer), eq(parkedEvents.eventId, eventId), isNotNull(parkedEvents.replayRequestedAt))

async function replay({ db, consumer, prepare }: ReplayingConsumer, parked: Parked): Promise<void> {
  let keepParkedInTrace = keepParked
  try {
    const event = fromBinary(EventSchema, parked.payload)
    await processSpan(consumer, [event], async () => {
      keepParkedInTrace = bindToTrace(keepParked)
      const handle = await prepare(event)
      const replayed = await db.transaction(async (tx) => {
        const deleted = await tx.delete(parkedEvents).where(isStillRequested(parked))
        return deleted.rowCount === 1 && { afterCommit: await handle?.(tx) }
      })
      if (!replayed) return
      replayed.afterCommit?.()
      countReplay(consumer)
      log.info({ consumer, eventId: parked.eventId }, 'a parked event was replayed')
    })
  } catch (error) {
    if (await isOutage(db, error)) throw error
    await keepParkedInTrace(db, parked, reasonOf(error))
  }
}

async function keepParked(db: Db, parked: Parked, lastError: string): Promise<void> {
  await db
    .update(parkedEvents)
    .set({ replayRequestedAt: null, attempts: sql`${parkedEvents.attempts} + 1`, lastError })
    .where(isStillRequested(parked))
  log.warn({ consumer: parked.consumer, eventId: parked.eventId, reason: lastError }, 'a parked event failed again')
}
