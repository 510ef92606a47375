/**
 * The outbox publishes events that were committed in the transaction of their change, so no crash or outage loses one.
 *
 * Invariants:
 *
 * 1. An entry is written under the lock of its aggregate's row. The entries of one aggregate therefore become visible
 *    in the order of their ids, and reading waiting entries by id never skips one.
 * 2. Each shard (hash of the aggregate) is relayed only by the holder of its lease. The holder publishes only while
 *    the lease is valid on its own monotonic clock, and marks entries only while its fencing token is current. A
 *    former holder can publish an event a second time, but it cannot mark an entry or get an event stored out of
 *    order.
 * 3. At most one message of an aggregate is in flight; it holds consecutive entries of one subject. It is repeated
 *    with the same message id until the stream has stored it. The first occurrences of an aggregate's events are
 *    therefore on the stream in the order of their ids, without gaps.
 * 4. An entry is marked only after the stream has acknowledged it. Before, the event can be stored twice but cannot be
 *    lost: readers deduplicate by event id.
 * 5. Before a holder publishes for the first time, after each reconnect, and every ten seconds, it checks that the
 *    stream still holds the events at the recorded positions. If one is missing, nothing newer is sent until the
 *    durables have been recreated and all entries still in the outbox have been requeued.
 * 6. An event that the stream refuses permanently is parked, and an event `skipped` is sent instead, so that its
 *    aggregate is not blocked.
 * 7. Reading starts at a low watermark: every transaction that could have been assigned a lower id has ended. The
 *    watermark is reset every ten seconds, and when a shard becomes ready or entries are requeued.
 * 8. An entry is kept for an hour after it was relayed, and until every durable that consumes it has acknowledged it or
 *    the stream no longer has it. An entry that left the stream unacknowledged is counted as lost.
 */
export { enqueue } from './enqueue.ts'
export { maxEventBytes, toOutboxRow, type DeliveryInit, type OutboxRow, type OutgoingEvent } from './to-outbox-row.ts'
export { startRelay, type Relay, type RelayOptions } from './relay.ts'
