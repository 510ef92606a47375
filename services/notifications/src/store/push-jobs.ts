import { CommitChannel, sqlRows, type Tx } from '@parley/postgres'
import { currentTraceparent } from '@parley/telemetry'
import { sql, type SQL } from 'drizzle-orm'
import { bestPriority, maxFirst, maxSoon } from '../domain/push-priority.ts'
import type { NotificationKind } from '../domain/tag.ts'

export type NewPush = {
  notificationId: string
  userId: string
  roomId: string
  eventId: string
  kind: NotificationKind
  threadRootEventId: string
  actorId: string
  tag: string
  createdAt: Date
  traceparent?: string | undefined
}

/** Wakes the senders of this process after pushes were queued or withdrawn. */
export const pushesQueued = new CommitChannel()

type Tagged = { userId: string; tag: string }
type NeverSent = { subscriptionId: bigint; tag: string }

/**
 * A CTE with the number of queued pushes, up to `maxSoon`, for each tag of the CTE `p`, which holds the pushes to
 * insert. The order makes PostgreSQL use an index.
 */
const waiting: SQL = sql`
    waiting as materialized (
      select t."tag", (
        select count(*)
        from (select from push_jobs j where j.tag = t."tag" order by j.user_id limit ${maxSoon}) counted) as "before"
      from (select distinct "tag" from p) t)`

/** The priority (column `lane`) of a row of `p`, lower if many pushes have its tag. */
const priority: SQL = sql`
    case when waiting."before" + row_number() over (partition by p."tag" order by p.subscription_id) > ${maxSoon} then 'mass'
         when waiting."before" + row_number() over (partition by p."tag" order by p.subscription_id) > ${maxFirst} then 'soon'
         else p."lane" end`

/** Browsers that are concurrently removed, or registered by another user, get no push. */
export async function insertPushes(tx: Tx, pushes: readonly NewPush[]): Promise<void> {
  const rows = JSON.stringify(pushes.map((push) => ({ ...push, lane: bestPriority(push.kind) })))
  await tx.execute(sql`
    with p as (
      select s.id as subscription_id, s.user_id, s.host, p.*
      from jsonb_to_recordset(${rows}::jsonb) as p("notificationId" text, "userId" text, "roomId" text, "eventId" text,
             "kind" text, "threadRootEventId" text, "actorId" text, "tag" text, "createdAt" timestamptz, "lane" text,
             "traceparent" text)
      join push_subscriptions s on s.user_id = p."userId"
      order by s.id for share of s),
    ${waiting}
    insert into push_jobs (subscription_id, user_id, host, action, tag, notification_id, room_id, event_id,
                           thread_root_event_id, actor_id, kind, created_at, lane, traceparent)
    select p.subscription_id, p.user_id, p.host, 'show', p."tag", p."notificationId", p."roomId", p."eventId",
           p."threadRootEventId", p."actorId", p."kind", p."createdAt", ${priority}, coalesce(p."traceparent", '')
    from p join waiting using ("tag")`)
  pushesQueued.notify(tx)
}

/**
 * Until the transaction ends, the subscriptions are neither moved to other users nor deleted. To be called before their
 * pushes are queued.
 */
export async function lockSubscriptions(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    select from push_subscriptions where user_id = any(${sql.param([...userIds])}::text[]) order by id for share`)
}

/** Deletes unleased pushes and marks the others as withdrawn. Returns the deleted ones that were never sent. */
export async function withdrawPushes(tx: Tx, dismissed: readonly Tagged[]): Promise<NeverSent[]> {
  const matching = (of: 'unleased' | 'all') => sql`
    with found as (
      select j.id from push_jobs j
      join jsonb_to_recordset(${JSON.stringify(dismissed)}::jsonb) as d("userId" text, "tag" text)
        on j.user_id = d."userId" and j.tag = d."tag"
      where j.action = 'show' ${of === 'all' ? sql`` : sql`and (j.leased_until is null or j.leased_until < now())`}
      order by j.id for update of j)`
  const deleted = await sqlRows<NeverSent & { attempts: number }>(
    tx,
    sql`${matching('unleased')} delete from push_jobs j using found where j.id = found.id
        returning j.subscription_id as "subscriptionId", j.tag, j.attempts`,
  )
  await tx.execute(sql`${matching('all')}
    update push_jobs j set withdrawn = true, lane = 'first', due_at = least(j.due_at, coalesce(j.leased_until, now()))
    from found where j.id = found.id`)
  pushesQueued.notify(tx)
  return deleted.filter(({ attempts }) => attempts === 0)
}

/** Queues a dismissal for each browser of the users, except those whose push was never sent. */
export async function insertDismissals(
  tx: Tx,
  dismissed: readonly Tagged[],
  except: readonly NeverSent[],
): Promise<void> {
  const excluded = except.map(({ subscriptionId, tag }) => ({ id: String(subscriptionId), tag }))
  await tx.execute(sql`
    with p as (
      select s.id as subscription_id, s.user_id, s.host, d."tag", ${bestPriority()} as "lane"
      from (select distinct "userId", "tag"
            from jsonb_to_recordset(${JSON.stringify(dismissed)}::jsonb) as x("userId" text, "tag" text)) d
      join push_subscriptions s on s.user_id = d."userId"
      where not exists (
        select from jsonb_to_recordset(${JSON.stringify(excluded)}::jsonb) as e(id bigint, tag text)
        where e.id = s.id and e.tag = d."tag")),
    ${waiting}
    insert into push_jobs (subscription_id, user_id, host, action, tag, created_at, lane, traceparent)
    select p.subscription_id, p.user_id, p.host, 'dismiss', p."tag", now(), ${priority}, ${currentTraceparent()}
    from p join waiting using ("tag")`)
  pushesQueued.notify(tx)
}
