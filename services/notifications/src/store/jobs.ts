import type { Requeue } from '@parley/events'
import { CommitChannel, sqlRows, type Reader } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { Work } from '../domain/many.ts'

/** A job that this process holds until its lease ends. */
export type Job = { id: bigint; work: Work; after: string; fence: number; failures: number }

/** Where a job stands after a turn: nothing when it is through. */
export type Standing = { work: Work; after: string } | undefined

export const jobsWritten = new CommitChannel()

/** By the clock of the database: processes whose clocks differ take each other's jobs otherwise. */
const soon = (milliseconds: number) => sql`clock_timestamp() + ${milliseconds}::int * interval '1 ms'`

export async function insertJobs(db: Reader, works: readonly Work[]): Promise<void> {
  if (works.length === 0) return
  await db.execute(sql`
    insert into notification_jobs (work, due_at)
    select work, clock_timestamp() from jsonb_array_elements(${JSON.stringify(works)}::jsonb) work`)
  jobsWritten.tell(db)
}

/** Takes the job whose turn is next, if it is due. */
export async function takeJob(db: Reader, leaseMs: number): Promise<Job | undefined> {
  const [job] = await sqlRows<Job>(
    db,
    sql`
    update notification_jobs set due_at = ${soon(leaseMs)}, fence = fence + 1
    where id = (
      select id from notification_jobs where due_at <= clock_timestamp()
      order by due_at limit 1 for update skip locked
    )
    returning id, work, after, fence, failures`,
  )
  return job
}

/** Keeps a job from the others for as long again. Nothing happens when another process has taken it since. */
export async function keepJob(db: Reader, { id, fence }: Job, leaseMs: number): Promise<void> {
  await db.execute(sql`update notification_jobs set due_at = ${soon(leaseMs)} where id = ${id} and fence = ${fence}`)
}

/** In how many milliseconds the next job is due; undefined when there is none. */
export async function nextJobMs(db: Reader): Promise<number | undefined> {
  const [row] = await sqlRows<{ ms: number | null }>(
    db,
    sql`select (extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms from notification_jobs`,
  )
  return row?.ms ?? undefined
}

/** Puts a job behind the others that wait, or ends it. Nothing happens when another process has taken it since. */
export async function putBack(db: Reader, { id, fence }: Job, standing: Standing): Promise<void> {
  const isHeld = sql`id = ${id} and fence = ${fence}`
  await db.execute(
    standing
      ? sql`update notification_jobs set work = ${JSON.stringify(standing.work)}::jsonb, after = ${standing.after},
          due_at = clock_timestamp(), failures = 0 where ${isHeld}`
      : sql`delete from notification_jobs where ${isHeld}`,
  )
}

/** Lets a job that failed wait. */
export async function postpone(
  db: Reader,
  { id, fence }: Job,
  { pauseMs, failures }: { pauseMs: number; failures: number },
): Promise<void> {
  await db.execute(sql`
    update notification_jobs set due_at = ${soon(pauseMs)}, failures = ${failures}
    where id = ${id} and fence = ${fence}`)
}

/** Gives a job up; it lies where events lie that were given up. False when another process has taken it since. */
export async function park(
  db: Reader,
  { id, fence }: Job,
  { attempts, reason }: { attempts: number; reason: string },
): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    with given_up as (delete from notification_jobs where id = ${id} and fence = ${fence} returning id, work, after)
    insert into parked_events (consumer, event_id, subject, payload, attempts, last_error, parked_at)
    select 'jobs', id::text, 'job.' || coalesce(work->>'of', ''),
      convert_to(jsonb_build_object('work', work, 'after', after)::text, 'UTF8'), ${attempts}, ${reason}, clock_timestamp()
    from given_up`)
  return (rowCount ?? 0) > 0
}

/** Has jobs that were given up go on where they stood. */
export const requeueJobs: Requeue = async (tx, parked) => {
  const jobs = parked.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as unknown)
  await tx.execute(sql`
    insert into notification_jobs (work, after, due_at)
    select job->'work', job->>'after', clock_timestamp() from jsonb_array_elements(${JSON.stringify(jobs)}::jsonb) job`)
  jobsWritten.tell(tx)
}

export async function countJobs(db: Reader): Promise<number> {
  const [row] = await sqlRows<{ count: bigint }>(db, sql`select count(*) from notification_jobs`)
  return Number(row?.count ?? 0n)
}
