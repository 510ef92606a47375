import { and, eq, isNotNull } from 'drizzle-orm'
import { deleteInBatches, type Db } from '@parley/postgres'
import { outbox } from './schema.ts'

/**
 * Deletes outbox entries that name the user and are already on the stream, from which accounts removes them. The
 * returned number includes entries not relayed yet, which the next pass deletes.
 */
export async function eraseCalls(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const calls = eq(outbox.aggregate, `notification.${userId}`)
  const found = await db.$count(outbox, calls)
  if (found > 0) await deleteInBatches(db, outbox, { where: and(calls, isNotNull(outbox.relayedAt)), signal })
  return found
}
