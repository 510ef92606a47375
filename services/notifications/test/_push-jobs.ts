import { createHash } from 'node:crypto'
import type { Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { CreatedNotification } from '../src/engines/push/queue.ts'
import { pushSubscriptions } from '../src/store/schema.ts'

export async function insertSubscription(db: Db, userId: string, endpoint: string): Promise<void> {
  await db.insert(pushSubscriptions).values({
    endpointDigest: createHash('sha256').update(endpoint).digest(),
    ...{ endpoint, userId, host: new URL(endpoint).host, p256dh: 'key', auth: 'secret', registeredAt: new Date() },
  })
}

export const notification = (userId: string, fields: Partial<CreatedNotification> = {}): CreatedNotification => ({
  ...{ notificationId: `N${userId}`, userId, roomId: 'R1', eventId: 'E1', kind: 'mention', threadRootEventId: '' },
  ...{ actorId: 'Uactor', createdAt: new Date() },
  ...fields,
})

export async function queuedPushes(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ line: string }>(sql`
    select j.action || ' ' || j.tag || ' at ' || s.endpoint || case when withdrawn then ' withdrawn' else '' end as line
    from push_jobs j join push_subscriptions s on s.id = j.subscription_id order by line`)
  return rows.map(({ line }) => line)
}
