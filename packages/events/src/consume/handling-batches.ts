import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import { isDatabaseUnavailable, type Tx } from '@parley/postgres'
import { logger, withSpan } from '@parley/telemetry'
import { eventHandled } from '../metrics.ts'
import { acknowledge, bringAgain, deliveryOf } from '../stream/delivery.ts'
import { reasonOf } from './failures.ts'
import { decode, handleMessage, isReachable, type Handling, type Outcome } from './handling.ts'
import { receiveAll } from './inbox.ts'

const log = logger('consumer')

/** A consumer, as far as some messages are concerned. */
export type BatchHandling = Omit<Handling, 'prepare' | 'kinds'> & {
  /** What is done with events, in the transaction that notes them as handled. */
  on: (events: Event[], tx: Tx) => Promise<void>
}

/**
 * Handles the events of several messages in one transaction and acknowledges them. When that fails, and for messages that
 * come again, each message is handled alone, so that one that cannot be handled keeps no other.
 */
export async function handleMessages(handling: BatchHandling, messages: readonly Msg[]): Promise<Outcome> {
  const { db, consumer, redelivery } = handling
  const together = messages.flatMap((message) => {
    const events = (deliveryOf(message)?.deliveries ?? 1) > 1 ? undefined : decode(message)
    return events === undefined ? [] : { message, events }
  })
  const apart = new Set(messages)
  try {
    await handleTogether(
      handling,
      together.flatMap(({ events }) => events),
    )
    for (const { message } of together) {
      acknowledge(message)
      apart.delete(message)
    }
  } catch (error) {
    if (isDatabaseUnavailable(error) && !(await isReachable(db))) {
      for (const message of messages) bringAgain(message, redelivery.firstMs)
      return 'outage'
    }
    log.warn({ consumer, reason: reasonOf(error) }, 'a consumer failed on several events at once; each is tried alone')
  }
  return handleApart(handling, [...apart])
}

async function handleTogether({ db, consumer, on }: BatchHandling, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return
  const span = { kind: 'consumer', attributes: { consumer, 'event.count': events.length } } as const
  await withSpan('consume events', span, () =>
    db.transaction(async (tx) => {
      const received = await receiveAll(tx, consumer, events)
      if (received.length > 0) await on(received, tx)
    }),
  )
  eventHandled(consumer, events.length)
}

async function handleApart(handling: BatchHandling, messages: readonly Msg[]): Promise<Outcome> {
  const alone: Handling = { ...handling, kinds: undefined, prepare: async (event) => (tx) => handling.on([event], tx) }
  let outcome: Outcome = 'done'
  for (const message of messages) {
    if (outcome === 'outage') bringAgain(message, handling.redelivery.firstMs)
    else outcome = await handleMessage(alone, message)
  }
  return outcome
}
