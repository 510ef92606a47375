import { counter, gauge, histogram, logger } from '@parley/telemetry'
import type { Answer } from './answer.ts'
import { pushPriorities, type PushPriority } from '../../domain/push-priority.ts'
import type { Reason } from './prepare.ts'
import type { QueueState } from '../../store/push-leases.ts'

const log = logger('push')
const pushes = counter('parley.push.pushes', {
  description: 'Pushes by action and outcome; `accepted` by the push service, or why not',
  unit: '{push}',
  labels: ['parley.action', 'parley.outcome'],
})
const lag = histogram('parley.push.lag', {
  description: 'Time from the notification, or its dismissal, until the push service has the push',
  unit: 's',
  labels: ['parley.action', 'parley.lane'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200],
})

const waiting = gauge('parley.push.waiting', {
  description: 'Queued pushes, including those being sent, by lane',
  unit: '{push}',
  labels: ['parley.lane'],
})
const overdue = gauge('parley.push.overdue', {
  description: 'Queued pushes that are older than ten minutes, by lane',
  unit: '{push}',
  labels: ['parley.lane'],
})
const age = gauge('parley.push.age', {
  description: 'Age of the oldest queued push, by lane',
  unit: 's',
  labels: ['parley.lane'],
})

type Outcome = Exclude<Answer['outcome'], 'busy'> | Reason | 'postponed' | 'given_up'

export const countPush = (action: 'show' | 'dismiss', outcome: Outcome): void =>
  pushes(1, { 'parley.action': action, 'parley.outcome': outcome })
type Queued = { action: 'show' | 'dismiss'; lane: PushPriority }

export const recordLag = ({ action, lane }: Queued, seconds: number): void =>
  lag(seconds, { 'parley.action': action, 'parley.lane': lane })
export const logSendFailure = (error: unknown): void =>
  log.warn({ err: error }, 'sending pushes failed; they will be retried')
export const logEncryptionFailure = (error: unknown): void =>
  log.warn({ err: error }, 'a push could not be encrypted and was dropped')
export const logDropped = (count: number): void => log.info({ count }, 'dropped pushes that were too old')

export function reportQueue(read: () => readonly QueueState[]): Disposable {
  const gauges = pushPriorities.flatMap((lane) => {
    const state = () => read().find((one) => one.lane === lane)
    const labels = { 'parley.lane': lane }
    const late = overdue(() => state()?.overdue ?? 0, labels)
    return [waiting(() => state()?.depth ?? 0, labels), late, age(() => (state()?.oldestMs ?? 0) / 1000, labels)]
  })
  return { [Symbol.dispose]: () => gauges.forEach((one) => one[Symbol.dispose]()) }
}
