import { durableName } from '../subjects.ts'
import { usualRedelivery, type DurableOptions } from './consume-events.ts'
import { handleMessages, type BatchHandling } from './handling-batches.ts'
import { Heap } from './heap.ts'
import { startAnewWhenRestored } from './restored.ts'
import { runConsumer } from './run-consumer.ts'

const mostInHand = 256

/** What a service listens to, many events at a time. */
export type BatchConsumerOptions = DurableOptions & {
  /** Handles events, in the order in which they came; each event id once. */
  on: BatchHandling['on']
}

/**
 * `consumeEvents` for a handler that takes many events in one transaction. When it fails, each message is handled alone,
 * and what keeps failing is parked. When the database was restored from an older copy, every event that the stream still
 * has comes again.
 */
export function consumeEventBatches(options: BatchConsumerOptions): Promise<AsyncDisposable> {
  const { db, bus, subject, on } = options
  const name = durableName(options.service, options.durable)
  const handling: BatchHandling = { db, consumer: name, on, redelivery: options.redelivery ?? usualRedelivery }
  const consumer = runConsumer({
    db,
    bus,
    name,
    subject,
    mostInHand,
    hands: (guarded) => new Heap((messages) => guarded(() => handleMessages(handling, messages))),
    check: () => startAnewWhenRestored(db, bus, name),
  })
  return Promise.resolve(consumer)
}
