import { lt } from 'drizzle-orm'
import type { Db, Tx } from '@parley/postgres'
import { webhooks } from './schema.ts'

export async function recordWebhook(tx: Tx, id: string, now: Date): Promise<boolean> {
  const taken = await tx
    .insert(webhooks)
    .values({ id, receivedAt: now })
    .onConflictDoNothing()
    .returning({ id: webhooks.id })
  return taken.length > 0
}

export async function forgetWebhooks(db: Db, before: Date): Promise<void> {
  await db.delete(webhooks).where(lt(webhooks.receivedAt, before))
}
