import { reasonOf, type Requeue } from '@parley/events'
import { JobQueue, type Job, type JobFailure } from '@parley/jobs'
import type { Reader } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import type { Work } from '../domain/work.ts'
import { notificationJobs } from './schema.ts'

export type NotificationJob = Job<typeof notificationJobs>

export type JobState = { work: Work; after: string } | undefined

/** Jobs that next notify people with the level ALL_MESSAGES run last: nobody waits for them. */
const isAllMessagesJob = sql`coalesce(${notificationJobs.work} #>> '{audiences,0,of}' = 'all_messages', false)`

export const notificationQueue = new JobQueue(notificationJobs, {
  key: ['id'],
  order: [isAllMessagesJob, notificationJobs.dueAt],
})

export async function insertJobs(db: Reader, works: readonly Work[]): Promise<void> {
  if (works.length === 0) return
  await db.execute(sql`
    insert into notification_jobs (work, due_at)
    select work, clock_timestamp() from jsonb_array_elements(${JSON.stringify(works)}::jsonb) work`)
  notificationQueue.announce(db)
}

/** Moves a job to the parked events. Returns false if it was deleted or another process has claimed it. */
export async function park(db: Reader, job: NotificationJob, { attempts, error }: JobFailure): Promise<boolean> {
  const { rowCount } = await db.execute(sql`
    with given_up as (
      delete from ${notificationJobs} where ${notificationQueue.whereHeld(job)} returning id, work, after)
    insert into parked_events (consumer, event_id, subject, payload, attempts, last_error, parked_at)
    select 'jobs', id::text, 'job.' || coalesce(work->>'of', ''),
      convert_to(jsonb_build_object('work', work, 'after', after)::text, 'UTF8'), ${attempts}, ${reasonOf(error)},
      clock_timestamp()
    from given_up`)
  return (rowCount ?? 0) > 0
}

export const requeueJobs: Requeue = async (tx, parked) => {
  const jobs = parked.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as unknown)
  await tx.execute(sql`
    insert into notification_jobs (work, after, due_at)
    select job->'work', job->>'after', clock_timestamp() from jsonb_array_elements(${JSON.stringify(jobs)}::jsonb) job`)
  notificationQueue.announce(tx)
}
