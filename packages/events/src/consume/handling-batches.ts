import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import { isDatabaseUnavailable, type Tx } from '@parley/postgres'
import { logger, withSpan } from '@parley/telemetry'
import { eventHandled, messageRedelivered } from '../metrics.ts'
import { acknowledge, bringAgain, deliveryOf } from '../stream/delivery.ts'
import { reasonOf } from './failures.ts'
import {
  decode,
  handleMessage,
  isAway,
  isReachable,
  type AfterCommit,
  type Handling,
  type Outcome,
} from './handling.ts'
import { forgetFailures, receiveAll } from './inbox.ts'

const log = logger('consumer')

/** What a consumer does with events, in the order in which they came, in the transaction that notes them as handled. */
export type BatchHandler = (events: Event[], tx: Tx) => Promise<AfterCommit | void>

/** What is to be done with events, and what went wrong with those whose meaning could not be found out, by event id. */
type PreparedBatch = { handle: BatchHandler; failed: ReadonlyMap<string, unknown> }

/**
 * Asks others what events mean, before the transaction. `handle` is called with those of the others that were not handled
 * before. An event for which a neighbour is away comes again, and no try is counted.
 */
export type BatchPreparation = (events: readonly Event[]) => Promise<PreparedBatch>

/** A consumer, as far as some messages are concerned. */
export type BatchHandling = Omit<Handling, 'prepare'> & { prepare: BatchPreparation }

/** A message and its events of the kinds that are handled; undefined when it holds something else. */
export type Opened = { message: Msg; events: Event[] | undefined }

export const open = (message: Msg, kinds: Handling['kinds']): Opened => ({
  message,
  events: decode(message)?.filter(({ kind }) => kinds?.has(kind) ?? true),
})

/**
 * Handles the events of several messages in one transaction and acknowledges them. When that fails each message is handled
 * alone, so that one that cannot be handled keeps no other.
 */
export async function handleMessages(handling: BatchHandling, opened: readonly Opened[]): Promise<Outcome> {
  const { db, consumer, prepare, redelivery } = handling
  const left = new Set(opened.map(({ message }) => message))
  const settle = (those: readonly Known[], how: (message: Msg) => void): void => {
    for (const { message } of those) if (left.delete(message)) how(message)
  }
  const comeAgain = (message: Msg) => bringAgain(message, redelivery.firstMs)
  const known = opened.flatMap(({ message, events }) => (events ? [{ message, events }] : []))
  try {
    const { handle, failed } = await prepare(known.flatMap(({ events }) => events))
    const withSome = (what: (failure: unknown) => boolean) =>
      known.filter(({ events }) => events.some(({ id }) => failed.has(id) && what(failed.get(id))))
    // One that a neighbour is never done with must not hold up the others again and again.
    settle(withSome(isAway), (message) => {
      const times = Math.min(deliveryOf(message)?.deliveries ?? 1, 6)
      bringAgain(message, Math.min(redelivery.firstMs * 2 ** (times - 1), redelivery.mostMs))
    })
    const unclear = new Set(withSome(() => true))
    const ready = known.filter((one) => !unclear.has(one))
    await handleTogether(handling, ready, handle)
    settle(ready, acknowledge)
  } catch (error) {
    if (isAway(error) || (isDatabaseUnavailable(error) && !(await isReachable(db)))) {
      for (const message of left) comeAgain(message)
      return 'outage'
    }
    log.warn({ consumer, reason: reasonOf(error) }, 'a consumer failed on several events at once; each is tried alone')
  }
  return handleApart(handling, [...left])
}

type Known = { message: Msg; events: Event[] }

async function handleTogether(
  { db, consumer }: BatchHandling,
  messages: readonly Known[],
  handle: BatchHandler,
): Promise<void> {
  const events = messages.flatMap((message) => message.events)
  const again = messages.filter(({ message }) => (deliveryOf(message)?.deliveries ?? 1) > 1)
  const before = again.flatMap((message) => message.events.map(({ id }) => id))
  if (events.length === 0) return
  const span = { kind: 'consumer', attributes: { consumer, 'event.count': events.length } } as const
  const afterCommit = await withSpan('consume events', span, () =>
    db.transaction(async (tx) => {
      const received = await receiveAll(tx, consumer, events)
      const after = received.length > 0 ? await handle(received, tx) : undefined
      if (before.length > 0) await forgetFailures(tx, consumer, before)
      return after
    }),
  )
  afterCommit?.()
  for (const _ of again) messageRedelivered(consumer)
  eventHandled(consumer, events.length)
}

/** How one event is handled by itself. */
export const preparingOne =
  ({ prepare }: BatchHandling): Handling['prepare'] =>
  async (event) => {
    const { handle, failed } = await prepare([event])
    if (failed.has(event.id)) throw failed.get(event.id)
    return (tx) => handle([event], tx)
  }

async function handleApart(handling: BatchHandling, messages: readonly Msg[]): Promise<Outcome> {
  const prepare = preparingOne(handling)
  let outcome: Outcome = 'done'
  for (const message of messages) {
    if (outcome === 'outage') bringAgain(message, handling.redelivery.firstMs)
    else outcome = await handleMessage({ ...handling, prepare }, message)
  }
  return outcome
}
