import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { shardOf } from '../outbox/shards.ts'
import { aggregateOf, durableName } from '../subjects.ts'
import { BatchQueue, type Opening, type Pace } from './batch-queue.ts'
import { open, type EventHandler, type EventPreparation, type Handling, type Opened } from './handle-message.ts'
import { aloneOf, handleMessages, type BatchHandler, type BatchPreparation } from './handle-messages.ts'
import { startAnewWhenRestored } from './restored.ts'
import { runConsumer } from './run-consumer.ts'

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
  /** Delays before a failed event is delivered again, doubling each time. Default: 250 ms to a minute. */
  redelivery?: Handling['redelivery']
}

/** The events that a service consumes, and how it handles them. */
export type ConsumerOptions = DurableOptions & {
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
} & (OneByOne | { batches: Batches })

/** Handles events one by one, each in its own transaction. */
type OneByOne =
  | {
      /** Handles one event. Order is not guaranteed, even within one aggregate. Runs once for each event id. */
      on: EventHandler
    }
  | {
      /** The same with a preparation step that calls other services. Preparation may be repeated. */
      prepare: EventPreparation
    }

/** Handles many events in one transaction. If that fails, each message is handled separately. */
export type Batches = {
  /**
   * `maxAtOnce`: most events per transaction, exceeded only by a single larger message. `pauseMs`: how long later
   * events are collected, the longest an event waits while there is capacity. Default: 128, 500 ms.
   */
  pace?: Pace
  /**
   * Whether somebody is waiting for the result of an event; an urgent event ends the collecting. Default: none is
   * urgent.
   */
  isUrgent?: (event: Event) => boolean
} & (
  | {
      /** Handles events in order of arrival, each event id once. */
      on: BatchHandler
    }
  | {
      /** The same with a preparation step that calls other services. Preparation may be repeated. */
      prepare: BatchPreparation
    }
)

const defaultRedelivery: Handling['redelivery'] = { firstMs: 250, maxMs: 60_000 }
const defaultPace: Pace = { maxAtOnce: 128, pauseMs: 500 }

/**
 * Handles every event published under the subject in the last three days, once per event id, despite crashes and
 * outages. An event that fails ten times is parked in `parked_events`; others continue. After the database was restored
 * from an older backup, a consumer of all kinds receives every event that is still on the stream again. Neither NATS
 * nor the database needs to be available at start. Disposing finishes the events in progress.
 */
export function consumeEvents(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, service, durable, subject, redelivery = defaultRedelivery } = options
  const kinds = options.kinds && new Set(options.kinds)
  const { maxInFlight, pace, place, ...how } = 'batches' in options ? inBatches(options.batches) : oneByOne(options)
  const handling = { db, consumer: durableName(service, durable), redelivery, ...how }
  const consumer = runConsumer({
    ...{ db, bus, subject, maxInFlight },
    durable: { service, durable },
    prepare: how.prepare,
    queue: (guarded) =>
      new BatchQueue<Opened>(pace, {
        open(message) {
          const opened = open(message, kinds)
          return { opened, ...place(message, opened.events ?? []) }
        },
        work: (opened) => guarded(() => handleMessages(handling, opened)),
      }),
    ...(kinds === undefined && { check: () => startAnewWhenRestored(db, bus, options) }),
  })
  return Promise.resolve(consumer)
}

/** How a consumer handles events, separately and in batches, and how messages are queued. */
type Mode = {
  /** Maximum number of in-flight messages of this process. */
  maxInFlight: number
  pace: Pace
  place: (message: Msg, events: readonly Event[]) => Omit<Opening<Opened>, 'opened'>
  prepare: EventPreparation
  together: BatchPreparation | undefined
}

/**
 * The plain case of batches of one. Aggregates are handled concurrently, but the messages of one aggregate
 * sequentially, so that handlers do not compete for its rows and its events stay in order as long as none fails.
 */
const oneByOne = (options: OneByOne): Mode => ({
  maxInFlight: 64,
  pace: { maxAtOnce: 1, pauseMs: 0 },
  place: ({ subject }) => ({ size: 1, isUrgent: false, shard: shardOf(aggregateOf(subject)) }),
  prepare: 'prepare' in options ? options.prepare : (event) => Promise.resolve((tx) => options.on(event, tx)),
  together: undefined,
})

function inBatches(options: Batches): Mode {
  const { pace = defaultPace, isUrgent = () => false } = options
  const together: BatchPreparation =
    'prepare' in options ? options.prepare : () => Promise.resolve({ handle: options.on, failed: new Map() })
  return {
    maxInFlight: 256,
    pace,
    place: (_message, events) => ({ size: Math.max(events.length, 1), isUrgent: events.some(isUrgent), shard: 0 }),
    prepare: aloneOf(together),
    together,
  }
}
