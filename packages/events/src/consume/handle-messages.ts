import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import { isServiceUnavailable, isOutage, type Tx } from '@parley/postgres'
import { bindToTrace, logger } from '@parley/telemetry'
import { eventHandled, handlingFailed, messageRedelivered } from '../metrics.ts'
import { processSpan } from '../spans.ts'
import { acknowledge, bringAgain, deliveryOf } from '../stream/delivery.ts'
import { reasonOf } from './failures.ts'
import {
  handleMessage,
  type AfterCommit,
  type EventPreparation,
  type Handling,
  type Opened,
  type Outcome,
} from './handle-message.ts'
import { forgetFailures, receiveAll } from './inbox.ts'

const log = logger('consumer')

/** Handles events, in the order they arrived, in the transaction that records them in the inbox. */
export type BatchHandler = (events: Event[], tx: Tx) => Promise<AfterCommit | void>

/** The handler of a prepared batch, and the errors of events whose preparation failed, by event id. */
type PreparedBatch = { handle: BatchHandler; failed: ReadonlyMap<string, unknown> }

/**
 * Calls other services before the transaction starts. `handle` is called with the remaining events that were not
 * handled before. An event that needs an unavailable service is redelivered and no attempt is counted.
 */
export type BatchPreparation = (events: readonly Event[]) => Promise<PreparedBatch>

/** The parts of a consumer that handle messages. `together`: the batch handler, if it has one. */
export type BatchHandling = Handling & { together: BatchPreparation | undefined }

/**
 * Handles messages. A consumer with a batch handler first handles the events of all messages in one transaction. If
 * that fails, each remaining message is handled separately, so that one bad event does not block others.
 */
export async function handleMessages(handling: BatchHandling, opened: readonly Opened[]): Promise<Outcome> {
  const { together, redelivery } = handling
  const rest = together ? await handleTogether(handling, together, opened) : opened
  let outcome: Outcome = 'done'
  if (rest === 'outage') return rest
  for (const one of rest) {
    if (outcome === 'outage') bringAgain(one.message, redelivery.firstMs)
    else outcome = await handleMessage(handling, one)
  }
  return outcome
}

/** Handles the events of several messages in one transaction; returns the messages to handle separately. */
async function handleTogether(
  handling: BatchHandling,
  prepare: BatchPreparation,
  opened: readonly Opened[],
): Promise<Opened[] | 'outage'> {
  const { db, consumer, redelivery } = handling
  const left = new Set(opened)
  const settle = (those: readonly Opened[], how: (message: Msg) => void): void => {
    for (const one of those) if (left.delete(one)) how(one.message)
  }
  const known = opened.filter((one): one is Known => one.events !== undefined)
  const began = performance.now()
  const events = known.flatMap((one) => one.events)
  let warnHere = warnFailed
  try {
    await processSpan(consumer, events, async () => {
      warnHere = bindToTrace(warnFailed)
      const { handle, failed } = await prepare(events)
      const withSome = (what: (failure: unknown) => boolean) =>
        known.filter(({ events }) => events.some(({ id }) => failed.has(id) && what(failed.get(id))))
      // A message that waits for an unavailable service must not delay the others again and again.
      settle(withSome(isServiceUnavailable), (message) => {
        const times = Math.min(deliveryOf(message)?.deliveries ?? 1, 6)
        bringAgain(message, Math.min(redelivery.firstMs * 2 ** (times - 1), redelivery.maxMs))
      })
      const unclear = new Set(withSome(() => true))
      const ready = known.filter((one) => !unclear.has(one))
      await inOneTransaction(handling, ready, handle)
      settle(ready, acknowledge)
    })
  } catch (error) {
    const took = performance.now() - began
    const outage = await isOutage(db, error)
    handlingFailed(consumer, took, outage ? 'outage' : 'failed')
    if (outage) {
      settle([...left], (message) => bringAgain(message, redelivery.firstMs))
      return 'outage'
    }
    warnHere(consumer, error)
  }
  return [...left]
}

const warnFailed = (consumer: string, error: unknown): void =>
  log.warn({ consumer, reason: reasonOf(error) }, 'a consumer failed on a batch of events; each is tried separately')

type Known = Opened & { events: Event[] }

async function inOneTransaction(
  { db, consumer }: Handling,
  messages: readonly Known[],
  handle: BatchHandler,
): Promise<void> {
  const events = messages.flatMap((message) => message.events)
  const again = messages.filter(({ message }) => (deliveryOf(message)?.deliveries ?? 1) > 1)
  const before = again.flatMap((message) => message.events.map(({ id }) => id))
  if (events.length === 0) return
  const began = performance.now()
  const afterCommit = await db.transaction(async (tx) => {
    const received = await receiveAll(tx, consumer, events)
    const after = received.length > 0 ? await handle(received, tx) : undefined
    if (before.length > 0) await forgetFailures(tx, consumer, before)
    return after
  })
  afterCommit?.()
  for (const _ of again) messageRedelivered(consumer)
  eventHandled(consumer, performance.now() - began, events.length)
}

/** Turns a batch handler into a handler for a single event. */
export const aloneOf =
  (prepare: BatchPreparation): EventPreparation =>
  async (event) => {
    const { handle, failed } = await prepare([event])
    if (failed.has(event.id)) throw failed.get(event.id)
    return (tx) => handle([event], tx)
  }
