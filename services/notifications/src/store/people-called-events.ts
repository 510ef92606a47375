import { and, eq, isNotNull } from 'drizzle-orm'
import { deleteInBatches, type Db } from '@parley/postgres'
import { outbox } from './schema.ts'

/**
 * Deletes the relayed outbox entries of `people_called` events that the user caused: their subject contains the user's
 * id. The service `accounts` removes the events from the stream. The returned number includes entries that are not
 * relayed yet, which a later pass deletes.
 */
export async function deletePeopleCalledEvents(db: Db, userId: string, signal: AbortSignal): Promise<number> {
  const ofSender = eq(outbox.aggregate, `notification.${userId}`)
  const found = await db.$count(outbox, ofSender)
  if (found > 0) await deleteInBatches(db, outbox, { where: and(ofSender, isNotNull(outbox.relayedAt)), signal })
  return found
}
