import { counter, gauge, histogram, logger } from '@parley/telemetry'
import type { Answer } from './answer.ts'
import type { Reason } from './prepare.ts'

const log = logger('push')
const pushes = counter('parley_pushes_total', { description: 'Pushes by what they do and what became of them' })
const lag = histogram('parley_push_lag', {
  description: 'Time from the notification, or its dismissal, until the push service has the push',
  unit: 's',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
})

type Outcome = Exclude<Answer['outcome'], 'busy'> | Reason | 'postponed' | 'given_up'

export const countPush = (action: 'show' | 'dismiss', outcome: Outcome): void => pushes(1, { action, outcome })
export const recordLag = (action: 'show' | 'dismiss', seconds: number): void => lag(seconds, { action })
export const reportFailedTurn = (error: unknown): void => log.warn({ err: error }, 'pushes wait: something failed')
export const logDropped = (count: number): void => log.info({ count }, 'dropped pushes that were too old')

/** Shows how long the queue is and how long its oldest push waits. */
export function showQueue(read: () => { depth: number; oldestMs: number }): Disposable {
  const gauges = [
    gauge('parley_push_queue_depth', { description: 'Pushes that wait' }, () => read().depth),
    gauge(
      'parley_push_queue_oldest',
      { description: 'Age of the oldest push that waits', unit: 's' },
      () => read().oldestMs / 1000,
    ),
  ]
  return { [Symbol.dispose]: () => gauges.forEach((one) => one[Symbol.dispose]()) }
}
