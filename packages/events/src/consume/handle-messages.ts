import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import { isServiceUnavailable, isOutage, type Tx } from '@parley/postgres'
import { bindToTrace, logger } from '@parley/telemetry'
import { recordHandling, recordFailedHandling, countRedelivery } from '../metrics.ts'
import { processSpan } from '../spans.ts'
import { acknowledge, requestRedelivery, deliveryOf } from '../stream/delivery.ts'
import { reasonOf } from './failures.ts'
import {
  handleMessage,
  type AfterCommit,
  type EventPreparation,
  type Handling,
  type DecodedMessage,
  type Outcome,
} from './handle-message.ts'
import { forgetFailures, recordAllHandled } from './inbox.ts'

const log = logger('consumer')

/** Handles events in order of arrival, in the transaction that records them in the inbox. */
export type BatchHandler = (events: Event[], tx: Tx) => Promise<AfterCommit | void>

type PreparedBatch = { handle: BatchHandler; failed: ReadonlyMap<string, unknown> }

/**
 * Like `EventPreparation`, for many events. `handle` gets no event that was handled before, and none of a message in
 * which an event failed. A message that needs an unavailable service is redelivered and no attempt is counted.
 */
export type BatchPreparation = (events: readonly Event[]) => Promise<PreparedBatch>

export type BatchHandling = Handling & { prepareBatch: BatchPreparation | undefined }

/**
 * A batch handler first gets the events of all messages in one transaction. Messages that fail are then handled
 * separately, so that one bad event does not block others. Messages that need an unavailable service are redelivered,
 * and so are all unhandled ones during an outage.
 */
export async function handleMessages(handling: BatchHandling, decoded: readonly DecodedMessage[]): Promise<Outcome> {
  const { prepareBatch, redelivery } = handling
  const rest = prepareBatch ? await handleInOneTransaction(handling, prepareBatch, decoded) : decoded
  let outcome: Outcome = 'done'
  if (rest === 'outage') return rest
  for (const one of rest) {
    if (outcome === 'outage') requestRedelivery(one.message, redelivery.initialMs)
    else outcome = await handleMessage(handling, one)
  }
  return outcome
}

async function handleInOneTransaction(
  handling: BatchHandling,
  prepare: BatchPreparation,
  decoded: readonly DecodedMessage[],
): Promise<DecodedMessage[] | 'outage'> {
  const { db, consumer, redelivery } = handling
  const unsettled = new Set(decoded)
  const settle = (messages: readonly DecodedMessage[], how: (message: Msg) => void): void => {
    for (const one of messages) if (unsettled.delete(one)) how(one.message)
  }
  const decodable = decoded.filter((one): one is Decodable => one.events !== undefined)
  const startedAt = performance.now()
  const events = decodable.flatMap((one) => one.events)
  let warnInTrace = warnFailed
  try {
    await processSpan(consumer, events, async () => {
      warnInTrace = bindToTrace(warnFailed)
      const { handle, failed } = await prepare(events)
      const messagesWithFailure = (matches: (failure: unknown) => boolean) =>
        decodable.filter(({ events }) => events.some(({ id }) => failed.has(id) && matches(failed.get(id))))
      settle(messagesWithFailure(isServiceUnavailable), (message) => {
        const times = Math.min(deliveryOf(message)?.attempts ?? 1, 6)
        requestRedelivery(message, Math.min(redelivery.initialMs * 2 ** (times - 1), redelivery.maxMs))
      })
      const failedMessages = new Set(messagesWithFailure(() => true))
      const ready = decodable.filter((one) => !failedMessages.has(one))
      await commitBatch(handling, ready, handle)
      settle(ready, acknowledge)
    })
  } catch (error) {
    const took = performance.now() - startedAt
    const outage = await isOutage(db, error)
    recordFailedHandling(consumer, took, outage ? 'outage' : 'failed')
    if (outage) {
      settle([...unsettled], (message) => requestRedelivery(message, redelivery.initialMs))
      return 'outage'
    }
    warnInTrace(consumer, error)
  }
  return [...unsettled]
}

const warnFailed = (consumer: string, error: unknown): void =>
  log.warn({ consumer, reason: reasonOf(error) }, 'a consumer failed on a batch of events; each is tried separately')

type Decodable = DecodedMessage & { events: Event[] }

async function commitBatch(
  { db, consumer }: Handling,
  messages: readonly Decodable[],
  handle: BatchHandler,
): Promise<void> {
  const events = messages.flatMap((message) => message.events)
  const redelivered = messages.filter(({ message }) => (deliveryOf(message)?.attempts ?? 1) > 1)
  const redeliveredIds = redelivered.flatMap((message) => message.events.map(({ id }) => id))
  if (events.length === 0) return
  const startedAt = performance.now()
  const afterCommit = await db.transaction(async (tx) => {
    const fresh = await recordAllHandled(tx, consumer, events)
    const after = fresh.length > 0 ? await handle(fresh, tx) : undefined
    if (redeliveredIds.length > 0) await forgetFailures(tx, consumer, redeliveredIds)
    return after
  })
  afterCommit?.()
  for (const _ of redelivered) countRedelivery(consumer)
  recordHandling(consumer, performance.now() - startedAt, events.length)
}

export const prepareSingly =
  (prepare: BatchPreparation): EventPreparation =>
  async (event) => {
    const { handle, failed } = await prepare([event])
    if (failed.has(event.id)) throw failed.get(event.id)
    return (tx) => handle([event], tx)
  }
