import { CommitChannel, sqlRows, type Reader } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { Work } from '../domain/many.ts'

/** A job that this process holds until its lease ends. */
export type Job = { id: bigint; work: Work; after: string; fence: number; failures: number }

/** Where a job stands after a turn: nothing when it is through. */
export type Standing = { work: Work; after: string } | undefined

export const jobsWritten = new CommitChannel()

export async function insertJobs(db: Reader, works: readonly Work[], at: Date): Promise<void> {
  if (works.length === 0) return
  await db.execute(sql`
    insert into notification_jobs (work, due_at)
    select work, ${at.toISOString()}::timestamptz from jsonb_array_elements(${JSON.stringify(works)}::jsonb) work`)
  jobsWritten.tell(db)
}

/** Takes the job whose turn is next, if it is due. */
export async function takeJob(db: Reader, at: Date, leaseMs: number): Promise<Job | undefined> {
  const until = new Date(at.getTime() + leaseMs)
  const [job] = await sqlRows<Job>(
    db,
    sql`
    update notification_jobs set due_at = ${until.toISOString()}::timestamptz, fence = fence + 1
    where id = (
      select id from notification_jobs where due_at <= ${at.toISOString()}::timestamptz
      order by due_at limit 1 for update skip locked
    )
    returning id, work, after, fence, failures`,
  )
  return job
}

/** When the next job is due. */
export async function firstDue(db: Reader): Promise<Date | null> {
  const [row] = await sqlRows<{ at: Date | null }>(db, sql`select min(due_at) as at from notification_jobs`)
  return row?.at ?? null
}

/** Puts a job behind the others that wait, or ends it. Nothing happens when another process has taken it since. */
export async function putBack(db: Reader, { id, fence }: Job, standing: Standing, at: Date): Promise<void> {
  const isHeld = sql`id = ${id} and fence = ${fence}`
  await db.execute(
    standing
      ? sql`update notification_jobs set work = ${JSON.stringify(standing.work)}::jsonb, after = ${standing.after},
          due_at = ${at.toISOString()}::timestamptz, failures = 0 where ${isHeld}`
      : sql`delete from notification_jobs where ${isHeld}`,
  )
}

/** Lets a job that failed wait. */
export async function postpone(
  db: Reader,
  { id, fence }: Job,
  { until, failures }: { until: Date; failures: number },
): Promise<void> {
  await db.execute(sql`
    update notification_jobs set due_at = ${until.toISOString()}::timestamptz, failures = ${failures}
    where id = ${id} and fence = ${fence}`)
}

/** Gives a job up; it lies where events lie that were given up. False when another process has taken it since. */
export async function park(
  db: Reader,
  { id, fence }: Job,
  { attempts, reason, at }: { attempts: number; reason: string; at: Date },
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    with given_up as (delete from notification_jobs where id = ${id} and fence = ${fence} returning id, work, after)
    insert into parked_events (consumer, event_id, subject, payload, attempts, last_error, parked_at)
    select 'jobs', id::text, 'job.' || coalesce(work->>'of', ''),
      convert_to(jsonb_build_object('work', work, 'after', after)::text, 'UTF8'), ${attempts}, ${reason},
      ${at.toISOString()}::timestamptz
    from given_up`)
  return (rowCount ?? 0) > 0
}

export async function countJobs(db: Reader): Promise<number> {
  const [row] = await sqlRows<{ count: bigint }>(db, sql`select count(*) from notification_jobs`)
  return Number(row?.count ?? 0n)
}
