import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { durableName } from '../subjects.ts'
import { handleMessage, type EventHandler, type EventPreparation, type Handling } from './handling.ts'
import { AggregateQueues } from './aggregate-queues.ts'
import { startAnewWhenRestored } from './restored.ts'
import { runConsumer } from './run-consumer.ts'

const maxInFlight = 64

/** A durable consumer of a service. */
export type DurableOptions = Pick<Database, 'db'> & {
  /** The connection for events. */
  bus: Bus
  /** Deployable. */
  service: string
  /** Name of the consumer within the service; processes that use the same name share the work. */
  durable: string
  /** One filter over subjects, see `eventSubject`; the same for the whole life of the durable. */
  subject: string
  /** Pauses before an event on which the handler failed comes again; doubling. Default: from 250 ms to a minute. */
  redelivery?: Handling['redelivery']
}

/** What a service listens to. */
export type ConsumerOptions = DurableOptions & {
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
} & (
    | {
        /** Handles one event, in any order among aggregates and in no promised order within one. Runs once for each event id. */
        on: EventHandler
      }
    | {
        /** The same where a neighbour has to be asked first; the asking may happen more often. */
        prepare: EventPreparation
      }
  )

/** Pauses before redelivery unless a consumer says otherwise. */
export const usualRedelivery: Handling['redelivery'] = { firstMs: 250, mostMs: 60_000 }

/**
 * Handles every event that was ever announced under the subject and is at most three days old, once for each event id,
 * whatever dies or is away meanwhile. An event on which the handler fails ten times is parked in `parked_events`; others
 * go on. When the database was restored from an older copy, a consumer of all kinds gets every event again that the stream still
 * has. Neither the bus nor the database need be there at start. Disposing finishes what is in hand.
 */
export function consumeEvents(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, subject } = options
  const name = durableName(options.service, options.durable)
  const handling: Handling = {
    db,
    consumer: name,
    prepare: 'prepare' in options ? options.prepare : async (event) => (tx) => options.on(event, tx),
    kinds: options.kinds && new Set(options.kinds),
    redelivery: options.redelivery ?? usualRedelivery,
  }
  const consumer = runConsumer({
    db,
    bus,
    durable: { service: options.service, durable: options.durable },
    subject,
    maxInFlight,
    prepare: handling.prepare,
    inFlight: (guarded) => new AggregateQueues((message) => guarded(() => handleMessage(handling, message))),
    ...(options.kinds === undefined && { check: () => startAnewWhenRestored(db, bus, options) }),
  })
  return Promise.resolve(consumer)
}
