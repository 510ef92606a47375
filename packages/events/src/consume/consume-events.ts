import type { Msg } from 'nats'
import type { Event } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import type { Bus } from '@parley/rpc'
import { shardOf } from '../outbox/shards.ts'
import { aggregateOf, durableName } from '../subjects.ts'
import { BatchQueue, type QueuedMessage, type Pace } from './batch-queue.ts'
import {
  decodeMessage,
  type EventHandler,
  type EventPreparation,
  type Handling,
  type DecodedMessage,
} from './handle-message.ts'
import { prepareSingly, handleMessages, type BatchHandler, type BatchPreparation } from './handle-messages.ts'
import { recreateIfRestored } from './recreate-if-restored.ts'
import { runConsumer } from './run-consumer.ts'

export type DurableOptions = Pick<Database, 'db'> & {
  bus: Bus
  service: string
  /** Name of the consumer within the service; processes that use the same name share the work. */
  durable: string
  /** Subject filter, see `eventSubject`. It cannot change during the life of the durable. */
  subject: string
  /** Delays before a failed event is redelivered, doubling each time. Default: 250 ms to a minute. */
  redelivery?: Handling['redelivery']
}

export type ConsumerOptions = DurableOptions & {
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
} & (OneByOne | { batches: Batches })

type OneByOne =
  | {
      /**
       * Handles one event, in a transaction that commits once for each event id. Order is not guaranteed, even within
       * one aggregate.
       */
      on: EventHandler
    }
  | {
      beforeTransaction: EventPreparation
    }

/** Many events in one transaction. If that fails, each message is handled separately. */
export type Batches = {
  /**
   * `maxAtOnce`: maximum number of events per transaction, unless one message has more. `pauseMs`: pause after a batch,
   * in which the next one is collected. Default: 128, 500 ms.
   */
  pace?: Pace
  /**
   * An urgent event ends the pause: somebody waits for its effect. By default no event is urgent; events published in
   * the pause then stay on the stream and do not wake the process.
   */
  isUrgent?: (event: Event) => boolean
} & (
  | {
      on: BatchHandler
    }
  | {
      beforeTransaction: BatchPreparation
    }
)

const defaultRedelivery: Handling['redelivery'] = { initialMs: 250, maxMs: 60_000 }
const defaultPace: Pace = { maxAtOnce: 128, pauseMs: 500 }

/**
 * Handles events under the subject once per event id, despite crashes and outages; a new durable begins with the oldest
 * event on the stream, at most three days old. An event that fails ten times is parked and does not block others. After
 * a restore of the database, a consumer of all kinds handles events again that the backup lacks and the stream still
 * has. Neither NATS nor the database needs to be available at start. Disposing finishes the events in progress.
 */
export function consumeEvents(options: ConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, service, durable, subject, redelivery = defaultRedelivery } = options
  const kinds = options.kinds && new Set(options.kinds)
  const { maxInFlight, pullPauseMs, pace, classify, ...mode } =
    'batches' in options ? batchMode(options.batches) : oneByOneMode(options)
  const handling = { db, consumer: durableName(service, durable), redelivery, ...mode }
  const consumer = runConsumer({
    ...{ db, bus, subject, maxInFlight, pullPauseMs },
    durable: { service, durable },
    prepare: mode.prepare,
    queue: (guarded) =>
      new BatchQueue<DecodedMessage>(pace, {
        decode(message) {
          const decoded = decodeMessage(message, kinds)
          return { decoded, ...classify(message, decoded.events ?? []) }
        },
        handle: (decoded) => guarded(() => handleMessages(handling, decoded)),
      }),
    ...(kinds === undefined && { check: () => recreateIfRestored(db, bus, options) }),
  })
  return Promise.resolve(consumer)
}

type Mode = {
  maxInFlight: number
  pullPauseMs: number
  pace: Pace
  classify: (message: Msg, events: readonly Event[]) => Omit<QueuedMessage<DecodedMessage>, 'decoded'>
  prepare: EventPreparation
  prepareBatch: BatchPreparation | undefined
}

/**
 * The messages of one shard are handled sequentially: handlers do not compete for the rows of an aggregate, and its
 * events stay in order as long as none fails.
 */
const oneByOneMode = (options: OneByOne): Mode => ({
  maxInFlight: 64,
  pullPauseMs: 0,
  pace: { maxAtOnce: 1, pauseMs: 0 },
  classify: ({ subject }) => ({ size: 1, isUrgent: false, shard: shardOf(aggregateOf(subject)) }),
  prepare:
    'beforeTransaction' in options
      ? options.beforeTransaction
      : (event) => Promise.resolve((tx) => options.on(event, tx)),
  prepareBatch: undefined,
})

function batchMode(options: Batches): Mode {
  const { pace = defaultPace, isUrgent } = options
  const prepareBatch: BatchPreparation =
    'beforeTransaction' in options
      ? options.beforeTransaction
      : () => Promise.resolve({ handle: options.on, failed: new Map() })
  return {
    maxInFlight: 256,
    ...(isUrgent ? { pullPauseMs: 0, pace } : { pullPauseMs: pace.pauseMs, pace: { ...pace, pauseMs: 0 } }),
    classify: (_message, events) => ({
      size: Math.max(events.length, 1),
      isUrgent: isUrgent !== undefined && events.some(isUrgent),
      shard: 0,
    }),
    prepare: prepareSingly(prepareBatch),
    prepareBatch,
  }
}
