import { sqlRows, type Db } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { pushPriorities, type PushPriority } from '../domain/push-priority.ts'

/** `lane`: the priority, named like the column. */
export type DuePush = { id: bigint; host: string; lane: PushPriority }

/** Milliseconds until a push becomes due or a lease ends: negative if overdue, undefined if the queue is empty. */
export async function msUntilNextPush(db: Db): Promise<number | undefined> {
  const [row] = await sqlRows<{ ms: number | null }>(
    db,
    sql`select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms from push_jobs`,
  )
  return row?.ms ?? undefined
}

/**
 * Lists up to `perPriority` due pushes of each priority of each host, the longest due first. A dismissal waits until
 * all earlier pushes with its tag to its browser are finished.
 */
export function listDuePushes(db: Db, perPriority: number): Promise<DuePush[]> {
  return sqlRows(
    db,
    sql`
    with recursive hosts as (
      (select host from push_jobs order by host limit 1)
      union all
      select (select j.host from push_jobs j where j.host > hosts.host order by j.host limit 1)
      from hosts where hosts.host is not null)
    select due.id, hosts.host, lanes.lane
    from hosts cross join unnest(${sql.param([...pushPriorities])}::text[]) as lanes (lane) cross join lateral (
      select j.id, j.due_at from push_jobs j
      where j.host = hosts.host and j.lane = lanes.lane and j.due_at <= now() and (j.action = 'show' or not exists (
        select from push_jobs e where e.subscription_id = j.subscription_id and e.tag = j.tag and e.id < j.id))
      order by j.due_at limit ${perPriority}) due
    where hosts.host is not null
    order by due.due_at`,
  )
}
