import { counter, gauge, histogram, logger } from '@parley/telemetry'
import type { Answer } from './answer.ts'
import { lanes, type Lane } from '../../domain/push-lanes.ts'
import type { Reason } from './prepare.ts'

const log = logger('push')
const pushes = counter('parley_pushes_total', { description: 'Pushes by action and outcome' })
const lag = histogram('parley_push_lag', {
  description: 'Time from the notification, or its dismissal, until the push service has the push',
  unit: 's',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
})

type Outcome = Exclude<Answer['outcome'], 'busy'> | Reason | 'postponed' | 'given_up'

export const countPush = (action: 'show' | 'dismiss', outcome: Outcome): void => pushes(1, { action, outcome })
type Queued = { action: 'show' | 'dismiss'; lane: Lane }

export const recordLag = ({ action, lane }: Queued, seconds: number): void => lag(seconds, { action, lane })
export const reportFailedTurn = (error: unknown): void => log.warn({ err: error }, 'sending pushes failed; they wait')
export const logDropped = (count: number): void => log.info({ count }, 'dropped pushes that were too old')

/** Number of waiting pushes in a lane, and the age of the oldest. */
export type LaneState = { lane: Lane; depth: number; oldestMs: number }

/** Shows how long the lanes of the queue are and how long their oldest pushes wait. */
export function showQueue(read: () => readonly LaneState[]): Disposable {
  const gauges = lanes.flatMap((lane) => {
    const state = () => read().find((one) => one.lane === lane)
    const depth = { description: 'Pushes that wait, by lane', labels: { lane } }
    const oldest = { description: 'Age of the oldest push that waits, by lane', labels: { lane }, unit: 's' }
    return [
      gauge('parley_push_queue_depth', depth, () => state()?.depth ?? 0),
      gauge('parley_push_queue_oldest', oldest, () => (state()?.oldestMs ?? 0) / 1000),
    ]
  })
  return { [Symbol.dispose]: () => gauges.forEach((one) => one[Symbol.dispose]()) }
}
