import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import { isDatabaseUnavailable, isOutage, isReachable, type Db, type Tx } from '@parley/postgres'
import { bindToTrace, logger } from '@parley/telemetry'
import {
  countFailure,
  recordHandling,
  countParkedEvent,
  recordFailedHandling,
  countRedelivery,
  countUndecodable,
} from '../metrics.ts'
import { processSpan } from '../spans.ts'
import { decodeBatch } from '../stream/decode.ts'
import { acknowledge, requestRedelivery, deliveryOf } from '../stream/delivery.ts'
import { maxAttempts, reasonOf, recordFailure } from './failures.ts'
import { forgetFailures, recordHandled } from './inbox.ts'

const log = logger('consumer')

/** Runs after the commit, for example to wake the relay. Must not throw. */
export type AfterCommit = () => void

export type EventHandler = (event: Event, tx: Tx) => Promise<AfterCommit | void>

/**
 * Calls other services before the transaction starts, perhaps repeatedly for one event. Returns the handler to run in
 * the transaction, if any. While a service is unavailable, the event is redelivered and no attempt is counted.
 */
export type EventPreparation = (event: Event) => Promise<((tx: Tx) => Promise<AfterCommit | void>) | undefined>

export type Handling = {
  db: Db
  consumer: string
  prepare: EventPreparation
  redelivery: { initialMs: number; maxMs: number }
}

/** `events`: the events in the message that the consumer handles; undefined if the message cannot be decoded. */
export type DecodedMessage = { message: Msg; events: Event[] | undefined }

/** Leaves out events of other kinds, which are acknowledged unhandled. `kinds`: undefined for all. */
export function decodeMessage(message: Msg, kinds: ReadonlySet<string> | undefined): DecodedMessage {
  try {
    return { message, events: decodeBatch(message.data).filter(({ kind }) => kinds?.has(kind) ?? true) }
  } catch {
    return { message, events: undefined }
  }
}

/**
 * `later`: the message will be redelivered. `outage`: likewise, because the database or another service is unavailable.
 */
export type Outcome = 'done' | 'later' | 'outage'

/**
 * Acknowledges the message when each event is handled or parked, or if it cannot be decoded. A failing event does not
 * block the others: the message is redelivered later, and the inbox drops the handled events.
 */
export async function handleMessage(handling: Handling, { message, events }: DecodedMessage): Promise<Outcome> {
  const { consumer, redelivery } = handling
  const isRedelivered = (deliveryOf(message)?.attempts ?? 1) > 1
  if (events === undefined) {
    countUndecodable()
    log.error({ consumer, subject: message.subject }, 'a message is not an event batch')
    acknowledge(message)
    return 'done'
  }
  if (isRedelivered) countRedelivery(consumer)
  let maxFailures = 0
  for (const event of events) {
    const failures = await handleEvent(handling, event, message.subject, isRedelivered)
    if (failures === undefined) {
      requestRedelivery(message, redelivery.initialMs)
      return 'outage'
    }
    maxFailures = Math.max(maxFailures, failures)
  }
  if (maxFailures === 0) {
    acknowledge(message)
    return 'done'
  }
  requestRedelivery(message, Math.min(redelivery.initialMs * 2 ** (maxFailures - 1), redelivery.maxMs))
  return 'later'
}

/**
 * Returns the number of failed attempts: 0 if the event was handled or parked, 1 if the failure could not be recorded;
 * undefined during an outage.
 */
async function handleEvent(
  handling: Handling,
  event: Event,
  subject: string,
  isRedelivered: boolean,
): Promise<number | undefined> {
  const { db, consumer } = handling
  const startedAt = performance.now()
  let reportInTrace = reportFailure
  try {
    await processSpan(consumer, [event], async () => {
      reportInTrace = bindToTrace(reportFailure)
      const handle = await handling.prepare(event)
      const afterCommit = await db.transaction(async (tx) => {
        if (!(await recordHandled(tx, consumer, event.id))) return undefined
        const after = await handle?.(tx)
        if (isRedelivered) await forgetFailures(tx, consumer, [event.id])
        return after
      })
      afterCommit?.()
    })
    recordHandling(consumer, performance.now() - startedAt)
    return 0
  } catch (error) {
    const took = performance.now() - startedAt
    const outage = await isOutage(db, error)
    recordFailedHandling(consumer, took, outage ? 'outage' : 'failed')
    if (outage) return undefined
    return await reportInTrace(handling, event, subject, reasonOf(error))
  }
}

async function reportFailure({ db, consumer }: Handling, event: Event, subject: string, reason: string) {
  const fields = { consumer, eventId: event.id, kind: event.kind, reason }
  try {
    const failures = await recordFailure(db, { consumer, event, subject, reason })
    countFailure(consumer)
    if (failures < maxAttempts) {
      log.warn({ ...fields, failures }, 'a consumer failed on an event; it will be retried')
      return failures
    }
    countParkedEvent(consumer)
    log.error({ ...fields, failures }, 'a consumer failed too often on an event; it is parked')
    return 0
  } catch (recordingError) {
    if (isDatabaseUnavailable(recordingError) && !(await isReachable(db))) return undefined
    log.warn(
      { ...fields, recording: reasonOf(recordingError) },
      'a consumer failed on an event, and the failure could not be recorded',
    )
    return 1
  }
}
