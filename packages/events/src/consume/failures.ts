import { sql } from 'drizzle-orm'
import { EventSchema, type Event } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { parkedEvents } from '../schema.ts'
import { recordHandled } from './inbox.ts'

/** Attempts after which an event is parked. */
export const maxAttempts = 10

export type Failure = { consumer: string; event: Event; subject: string; reason: string }

/**
 * Counts a failed attempt. After the last one, the event is parked and entered in the inbox, so that no redelivery
 * handles it. Returns the number of failed attempts.
 */
export async function recordFailure(db: Db, { consumer, event, subject, reason }: Failure): Promise<number> {
  return await db.transaction(async (tx) => {
    const [row] = await tx
      .insert(parkedEvents)
      .values({
        consumer,
        eventId: event.id,
        subject,
        payload: Buffer.from(encode(EventSchema, event)),
        attempts: 1,
        lastError: reason,
      })
      .onConflictDoUpdate({
        target: [parkedEvents.consumer, parkedEvents.eventId],
        set: {
          attempts: sql`${parkedEvents.attempts} + 1`,
          lastError: reason,
          parkedAt: sql`case when ${parkedEvents.attempts} + 1 >= ${maxAttempts} then now() end`,
        },
      })
      .returning({ attempts: parkedEvents.attempts })
    const attempts = row?.attempts ?? 1
    if (attempts >= maxAttempts) await recordHandled(tx, consumer, event.id)
    return attempts
  })
}

/**
 * Name and message of the innermost cause, cut to 300 characters. Outer errors are left out: drizzle's error for a
 * failed statement quotes the parameters.
 */
export function reasonOf(error: unknown): string {
  let cause = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)).slice(0, 300)
}
