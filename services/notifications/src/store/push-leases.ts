import { sqlRows, type Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { PushPriority } from '../domain/push-priority.ts'
import type { NotificationKind } from '../domain/tag.ts'

export type LeasedPush = {
  id: bigint
  action: 'show' | 'dismiss'
  userId: string
  host: string
  tag: string
  notificationId: string
  roomId: string
  eventId: string
  threadRootEventId: string
  actorId: string
  kind: NotificationKind
  lane: PushPriority
  createdAt: Date
  attempts: number
  withdrawn: boolean
  traceparent: string
  subscriptionId: bigint
  endpoint: string
  p256dh: string
  auth: string
}

export function leasePushes(db: Db, ids: readonly bigint[], leaseMs: number): Promise<LeasedPush[]> {
  return sqlRows(
    db,
    sql`
    with held as (
      update push_jobs set leased_until = now() + ${leaseMs} * interval '1 ms', attempts = attempts + 1,
        due_at = now() + ${leaseMs} * interval '1 ms'
      where id in (select id from push_jobs where id = any(${idList(ids)}) and due_at <= now()
                   for update skip locked)
      returning *)
    select h.id, h.action, h.user_id as "userId", h.host, h.tag, h.notification_id as "notificationId",
           h.room_id as "roomId", h.event_id as "eventId", h.thread_root_event_id as "threadRootEventId",
           h.actor_id as "actorId", h.kind, h.lane, h.created_at as "createdAt", h.attempts, h.withdrawn, h.traceparent,
           s.id as "subscriptionId", s.endpoint, s.p256dh, s.auth
    from held h join push_subscriptions s on s.id = h.subscription_id
    order by h.id`,
  )
}

export async function findQueued(db: Db, ids: readonly bigint[]): Promise<Map<bigint, { withdrawn: boolean }>> {
  const rows = await sqlRows<{ id: bigint; withdrawn: boolean }>(
    db,
    sql`select id, withdrawn from push_jobs where id = any(${idList(ids)})`,
  )
  return new Map(rows.map(({ id, withdrawn }) => [id, { withdrawn }]))
}

export async function deletePushes(db: Db, ids: readonly bigint[]): Promise<void> {
  if (ids.length > 0) await db.execute(sql`delete from push_jobs where id = any(${idList(ids)})`)
}

/** Deletes unsent pushes and the queued dismissals of the same tags, which have nothing to dismiss. */
export async function deleteUnsent(
  db: Db,
  pushes: readonly Pick<LeasedPush, 'subscriptionId' | 'tag'>[],
): Promise<void> {
  if (pushes.length === 0) return
  const rows = JSON.stringify(pushes.map(({ subscriptionId, tag }) => ({ id: String(subscriptionId), tag })))
  await db.execute(sql`
    delete from push_jobs j using jsonb_to_recordset(${rows}::jsonb) as u(id bigint, tag text)
    where j.subscription_id = u.id and j.tag = u.tag`)
}

/** `attempts`: their number when the push was leased. `countsAsAttempt`: the push may have been sent. */
export type Postponed = { id: bigint; attempts: number; pauseMs: number; countsAsAttempt: boolean }

/**
 * Skips pushes that have been leased again since. A push that was withdrawn during the lease becomes due at once, so
 * that it is deleted.
 */
export async function postponePushes(db: Db, postponed: readonly Postponed[]): Promise<void> {
  if (postponed.length === 0) return
  const rows = JSON.stringify(postponed.map((one) => ({ ...one, id: String(one.id) })))
  await db.execute(sql`
    update push_jobs j set leased_until = null,
      attempts = case when p."countsAsAttempt" then j.attempts else j.attempts - 1 end,
      due_at = case when j.withdrawn then now() else now() + p."pauseMs" * interval '1 ms' end
    from jsonb_to_recordset(${rows}::jsonb) as p(id bigint, attempts int, "pauseMs" float8, "countsAsAttempt" bool)
    where j.id = p.id and j.attempts = p.attempts and j.leased_until is not null`)
}

/** Skips subscriptions whose browser has registered new keys meanwhile. */
export async function deleteGoneSubscriptions(
  db: Db,
  gone: readonly Pick<LeasedPush, 'subscriptionId' | 'p256dh' | 'auth'>[],
): Promise<void> {
  if (gone.length === 0) return
  const rows = JSON.stringify(
    gone.map(({ subscriptionId, p256dh, auth }) => ({ id: String(subscriptionId), p256dh, auth })),
  )
  await db.execute(sql`
    delete from push_subscriptions s using jsonb_to_recordset(${rows}::jsonb) as g(id bigint, p256dh text, auth text)
    where s.id = g.id and s.p256dh = g.p256dh and s.auth = g.auth`)
}

export async function deleteOldPushes(db: Db, olderThanMs: number, limit: number): Promise<number> {
  const deleted = await db.execute(sql`
    delete from push_jobs where id in (
      select id from push_jobs where created_at < now() - ${olderThanMs} * interval '1 ms'
      order by created_at limit ${limit} for update skip locked)`)
  return deleted.rowCount ?? 0
}

const overdueAfterMs = 600_000

/** Includes pushes being sent. `oldestMs`: age of the oldest push. */
export type QueueState = { lane: PushPriority; depth: number; overdue: number; oldestMs: number }

export function measureQueue(db: Db): Promise<QueueState[]> {
  return sqlRows(
    db,
    sql`
    select lane, count(*)::int as depth,
      (count(*) filter (where created_at < now() - ${overdueAfterMs} * interval '1 ms'))::int as overdue,
      (extract(epoch from now() - min(created_at)) * 1000)::float8 as "oldestMs"
    from push_jobs group by lane`,
  )
}

const idList = (ids: readonly bigint[]) => sql`${`{${ids.join(',')}}`}::bigint[]`
