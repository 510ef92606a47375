import type { Db } from '@parley/postgres'
import type { PushService } from '@parley/testkit'
import { sql } from 'drizzle-orm'
import type { CreatedNotification } from '../src/engines/push/queue.ts'
import { notification } from './_push-jobs.ts'

export const crowdOf = (size: number): string[] => Array.from({ length: size }, (_, n) => `Ucrowd${n}`)

export async function subscribeAll(db: Db, service: PushService, name: string, userIds: readonly string[]) {
  const { p256dh, auth } = service.subscribe(name)
  await db.execute(sql`
    insert into push_subscriptions (endpoint_digest, endpoint, host, user_id, p256dh, auth, registered_at)
    select sha256(endpoint::bytea), endpoint, ${new URL(service.url).host}, user_id, ${p256dh}, ${auth}, now()
    from (select user_id, ${service.url} || '/push/' || user_id || '/' || ${name} as endpoint
          from unnest(${sql.param([...userIds])}::text[]) user_id) browsers`)
}

export const notificationsFor = (
  userIds: readonly string[],
  fields: Partial<CreatedNotification> = {},
): CreatedNotification[] => userIds.map((userId) => notification(userId, { eventId: 'Eall', ...fields }))
