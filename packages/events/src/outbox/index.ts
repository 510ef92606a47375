/**
 * The outbox publishes events that were committed with their change to the stream, despite crashes and outages.
 *
 * Invariants:
 *
 * 1. An entry is written in the transaction of its change, under the lock of its aggregate's row. The entries of one
 *    aggregate therefore become visible in the order of their ids, and reading waiting entries by id never skips one.
 * 2. Each shard (hash of the aggregate) is relayed only by the holder of its lease. The holder publishes only while the
 *    lease is valid on its own monotonic clock, and marks entries only with its fencing number. A former holder can
 *    publish an event twice, but can neither mark an entry nor store a missing event after a later one.
 * 3. At most one message of an aggregate is in flight; it holds consecutive entries of one subject. It is repeated with
 *    the same message id until the stream has stored it; only then is the next one sent. The first occurrences of an
 *    aggregate's events are therefore on the stream in the order of their ids, without gaps.
 * 4. An entry is marked only after the stream acknowledged it. In between, an event can be stored twice but cannot be
 *    lost: readers deduplicate by event id.
 * 5. Before a holder publishes for the first time, after each reconnect, and every ten seconds, it verifies on the
 *    stream the places that its shard remembers. If one is missing, nothing newer is sent until the durables were
 *    recreated and all entries still in the outbox wait again. After a loss the message ids differ, so that nothing is
 *    mistaken for a duplicate of a lost message.
 * 6. An event that the stream refuses permanently is parked, and an event `skipped` is sent in its place, so that an
 *    aggregate never stops.
 * 7. Reading begins at an id below which nothing waits and nothing will: all transactions that could have drawn a lower
 *    id have ended. It begins at the start every ten seconds, and when a shard becomes ready or entries wait again.
 * 8. An entry is deleted an hour after it was relayed, once every durable that consumes it has acknowledged it or it
 *    has left the stream. If it left the stream unacknowledged, it is counted as lost.
 */
export { enqueue } from './enqueue.ts'
export { maxEventBytes, outgoing, type DeliveryInit, type OutboxRow, type OutgoingEvent } from './outgoing.ts'
export { startRelay, type Relay, type RelayOptions } from './relay.ts'
