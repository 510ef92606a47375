import type { Event } from '@parley/contracts/internal'
import { durableName } from '../subjects.ts'
import { usualRedelivery, type DurableOptions } from './consume-events.ts'
import {
  handleMessages,
  open,
  preparingOne,
  type BatchHandler,
  type BatchHandling,
  type BatchPreparation,
} from './handling-batches.ts'
import { BatchQueue, type Pace } from './batch-queue.ts'
import { startAnewWhenRestored } from './restored.ts'
import { runConsumer } from './run-consumer.ts'

const maxInFlight = 256
const usualPace: Pace = { mostAtOnce: 128, pauseMs: 100 }

/** What a service listens to, many events at a time. */
export type BatchConsumerOptions = DurableOptions & {
  /** Kinds to handle. Default: all. */
  kinds?: readonly string[]
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

/**
 * `consumeEvents` for a handler that takes many events in one transaction. When it fails, each message is handled alone,
 * and what keeps failing is parked. When the database was restored from an older copy, a consumer of all kinds gets every
 * event again that the stream still has.
 */
export function consumeEventBatches(options: BatchConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, subject, pace = usualPace, isUrgent = () => false } = options
  const name = durableName(options.service, options.durable)
  const kinds = options.kinds && new Set(options.kinds)
  const prepare: BatchPreparation =
    'prepare' in options ? options.prepare : () => Promise.resolve({ handle: options.on, failed: new Map() })
  const handling: BatchHandling = {
    ...{ db, consumer: name, kinds, prepare },
    redelivery: options.redelivery ?? usualRedelivery,
  }
  const consumer = runConsumer({
    db,
    bus,
    durable: { service: options.service, durable: options.durable },
    subject,
    maxInFlight,
    prepare: preparingOne(handling),
    inFlight: (guarded) =>
      new BatchQueue(pace, {
        open: (message) => {
          const opened = open(message, kinds)
          const { events = [] } = opened
          return { opened, size: Math.max(events.length, 1), isUrgent: events.some(isUrgent) }
        },
        work: (opened) => guarded(() => handleMessages(handling, opened)),
      }),
    ...(kinds === undefined && { check: () => startAnewWhenRestored(db, bus, options) }),
  })
  return Promise.resolve(consumer)
}
