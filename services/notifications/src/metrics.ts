import { counter, gauge, histogram } from '@parley/telemetry'
import type { Created } from './store/new-notifications.ts'

const created = counter('notifications_created', { description: 'Notifications made, by kind' })
const dismissed = counter('notifications_dismissed', { description: 'Notifications that are pending no longer' })
const lag = histogram('notification_lag_seconds', {
  description: 'Time from a message until its notifications are written',
  unit: 's',
})

export function countCreated(made: readonly Created[], postedAt: Date, at: Date): void {
  for (const { kind } of made) created(1, { kind })
  if (made.length > 0) lag(Math.max(0, at.getTime() - postedAt.getTime()) / 1000)
}

export const countDismissed = (count: number): void => dismissed(count)

const parked = counter('notification_jobs_parked', { description: 'Jobs that failed for good and were given up' })
export const jobParked = (of: string): void => parked(1, { of })

/** Number of messages with people still to be notified. */
export const gaugeJobs = (read: () => number): Disposable =>
  gauge('notification_jobs_waiting', { description: 'Messages whose many recipients are not all notified yet' }, read)
