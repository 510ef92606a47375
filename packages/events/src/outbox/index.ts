/**
 * The outbox: how an event that was committed with its change reaches the stream, whatever dies on the way.
 *
 * Invariants
 *
 * 1. An entry is written in the transaction of its change, under the lock of its aggregate's row. So the entries of one
 *    aggregate become visible in the order of their ids, and reading what waits by id never overtakes one of them.
 * 2. A shard (hash of the aggregate) is relayed by the holder of its lease alone. The holder publishes only while its
 *    lease stands on its own monotonic clock, and marks only under its fencing number: whoever was taken for dead can
 *    repeat an event, but can neither mark one nor bring one that was never stored after one that was.
 * 3. At most one message of an aggregate is under way, holding consecutive entries of one subject. It is repeated under
 *    the same message id until the stream has it; then, and only then, the next one goes out. So the first occurrences
 *    of an aggregate's events stand on the stream in the order of their ids, without a hole.
 * 4. An entry is marked only after the stream acknowledged it. Between the two an event can be stored twice, never not
 *    at all: readers go by event id.
 * 5. Before a holder publishes for the first time, after each reconnect, and every ten seconds, it asks the stream for
 *    the places its shard remembers. If one is gone, nothing newer goes out before the durables were made anew and all
 *    that the outbox still holds waits again. After a loss message ids differ, so that nothing is taken for a repetition of what is gone.
 * 6. What the stream refuses for good is parked, and an event `skipped` goes out in its place: an aggregate never stops.
 * 7. Reading begins at an id below which nothing waits and nothing will: every transaction that could have drawn a lower one
 *    is over. It begins at the start every ten seconds, and when a shard becomes ready or entries wait again.
 * 8. An entry is deleted an hour after it was relayed, once every durable that listens to it has acknowledged it or it has
 *    left the stream. What left it before is counted as lost.
 */
export { enqueue } from './enqueue.ts'
export { maxEventBytes, outgoing, type DeliveryInit, type OutboxRow, type OutgoingEvent } from './outgoing.ts'
export { startRelay, type Relay, type RelayOptions } from './relay.ts'
