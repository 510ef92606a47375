import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { shardOf } from '../outbox/shards.ts'
import { durableName } from '../subjects.ts'
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
  /** Pauses before an event on which the handler failed comes again; doubling. Default: from 250 ms to a minute. */
  redelivery?: Handling['redelivery']
}

/** What a service listens to. */
export type ConsumerOptions = DurableOptions & {
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
} & (OneByOne | { batches: Batches })

/** Events are handled one by one, each in a transaction of its own. */
type OneByOne =
  | {
      /** Handles one event, in any order among aggregates and in no promised order within one. Runs once for each event id. */
      on: EventHandler
    }
  | {
      /** The same where a neighbour has to be asked first; the asking may happen more often. */
      prepare: EventPreparation
    }

/** Many events are handled in one transaction, and when that fails, each message alone. */
export type Batches = {
  /**
   * How many events are handled together at most, more only when one message holds more, and for how many milliseconds
   * those that come after others gather: the longest that an event waits while there is room. Default: 128, 100 ms.
   */
  pace?: Pace
  /** Whether somebody waits for what an event brings: it ends the gathering. Default: nobody does. */
  isUrgent?: (event: Event) => boolean
} & (
  | {
      /** Handles events, in the order in which they came; each event id once. */
      on: BatchHandler
    }
  | {
      /** The same where neighbours have to be asked first; the asking may happen more often. */
      prepare: BatchPreparation
    }
)

const usualRedelivery: Handling['redelivery'] = { firstMs: 250, mostMs: 60_000 }
const usualPace: Pace = { mostAtOnce: 128, pauseMs: 100 }

/**
 * Handles every event that was ever announced under the subject and is at most three days old, once for each event id,
 * whatever dies or is away meanwhile. An event on which the handler fails ten times is parked in `parked_events`; others
 * go on. When the database was restored from an older copy, a consumer of all kinds gets every event again that the stream still
 * has. Neither the bus nor the database need be there at start. Disposing finishes what is in hand.
 */
export function consumeEvents(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, service, durable, subject, redelivery = usualRedelivery } = options
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

/** How a consumer works: alone and together, and where in the queue a message goes. */
type Mode = {
  /** Most messages in hand of this process. */
  maxInFlight: number
  pace: Pace
  place: (message: Msg, events: readonly Event[]) => Omit<Opening<Opened>, 'opened'>
  prepare: EventPreparation
  together: BatchPreparation | undefined
}

/**
 * The plain case: batches of one. Aggregates are handled side by side, the messages of one aggregate one after the other: its
 * rows are not fought over, and its events are handled in order as long as none fails.
 */
const oneByOne = (options: OneByOne): Mode => ({
  maxInFlight: 64,
  pace: { mostAtOnce: 1, pauseMs: 0 },
  place: ({ subject }) => ({ size: 1, isUrgent: false, shard: shardOf(aggregateOf(subject)) }),
  prepare: 'prepare' in options ? options.prepare : (event) => Promise.resolve((tx) => options.on(event, tx)),
  together: undefined,
})

function inBatches(options: Batches): Mode {
  const { pace = usualPace, isUrgent = () => false } = options
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

/** `evt.room.R1.message_posted` and `evt.control.user.U1.roles_changed`: all but the kind. */
function aggregateOf(subject: string): string {
  return subject.slice(0, subject.lastIndexOf('.'))
}
