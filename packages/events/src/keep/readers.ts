import { AckPolicy, DeliverPolicy, nanos, ReplayPolicy } from 'nats'
import type { Bus } from '@parley/rpc'
import { jetStream } from '../stream/api.ts'
import { eventStream, readerSubject } from '../subjects.ts'
import type { ReaderRequest } from './requests.ts'
import { Refusal } from './checks.ts'

/** Two intervals take just less than the silence after which a follower opens a new reader (see `SilenceWatch`). */
export const heartbeatMs = 1449
const unusedMs = 5000
/** Recently abandoned readers count, too. */
const maxReaders = 256

/**
 * A reader is an ephemeral consumer that pushes to a subject on which only its deployable can listen. Returns the
 * number of messages that the stream holds for the reader, including those already delivered to it.
 */
export async function createReader(bus: Bus, requester: string, request: ReaderRequest): Promise<number> {
  const { manager } = await jetStream(bus)
  const prefix = `reader-${requester}-`
  let count = 0
  for await (const { name } of manager.consumers.list(eventStream)) if (name.startsWith(prefix)) count++
  if (count >= maxReaders) throw new Refusal('there are too many readers')
  const start =
    request.startMs !== undefined
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(request.startMs).toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: request.startSeq }
  const { delivered, num_pending: pending } = await manager.consumers.add(eventStream, {
    name: prefix + request.id,
    deliver_subject: readerSubject(requester, request.id),
    ...start,
    filter_subject: request.subject,
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    max_deliver: 1,
    flow_control: true,
    idle_heartbeat: nanos(heartbeatMs),
    inactive_threshold: nanos(unusedMs),
    mem_storage: true,
    num_replicas: 1,
  })
  return delivered.consumer_seq + pending
}
