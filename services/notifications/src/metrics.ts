import { counter, gauge, histogram } from '@parley/telemetry'
import type { Created } from './store/new-notifications.ts'

const created = counter('parley.notifications.created', {
  description: 'Created notifications, by kind',
  unit: '{notification}',
  labels: ['parley.kind'],
})
const dismissed = counter('parley.notifications.dismissed', {
  description: 'Notifications that are no longer pending',
  unit: '{notification}',
})
const lag = histogram('parley.notifications.lag', {
  description: 'Time from a message until its notifications are written',
  unit: 's',
})
const parked = counter('parley.notifications.jobs_parked', {
  description: 'Jobs that failed for good and were given up',
  unit: '{job}',
  labels: ['parley.kind'],
})
const waiting = gauge('parley.notifications.jobs_waiting', {
  description: 'Unfinished jobs, which notify large audiences or dismiss notifications',
  unit: '{job}',
})

export function countCreated(made: readonly Created[], postedAt: Date, at: Date): void {
  for (const { kind } of made) created(1, { 'parley.kind': kind })
  if (made.length > 0) lag(Math.max(0, at.getTime() - postedAt.getTime()) / 1000)
}

export const countDismissed = (count: number): void => dismissed(count)
export const countParkedJob = (of: string): void => parked(1, { 'parley.kind': of })
export const reportJobs = (read: () => number): Disposable => waiting(read)
