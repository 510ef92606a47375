import { AckPolicy, DeliverPolicy, nanos, type ConsumerInfo } from 'nats'
import type { Bus } from '@parley/rpc'
import { isConsumerMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { addDurable } from '../stream/durables.ts'
import { eventStream } from '../subjects.ts'

/** Most messages that all processes of a consumer may have in hand. */
const mostInHand = 1024
const ackWaitMs = 60_000

/**
 * Makes a durable consumer, and the stream, if they are missing; it begins at the first event there is. Rejects when the
 * consumer exists for another subject: a process of an earlier release may still acknowledge under that name what it does
 * not handle.
 */
export async function declareDurable(bus: Bus, name: string, subject: string): Promise<void> {
  const { manager } = await jetStream(bus)
  const known = await findDurable(bus, name)
  if (known === undefined) {
    await addDurable(manager, name, {
      filter_subject: subject,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: mostInHand,
      max_deliver: -1,
    })
  } else if (known.config.filter_subject !== subject) {
    throw new Error(`${name} consumes ${known.config.filter_subject}; to consume ${subject} it needs another name`)
  }
}

async function findDurable(bus: Bus, name: string): Promise<ConsumerInfo | undefined> {
  const { manager } = await jetStream(bus)
  try {
    return await manager.consumers.info(eventStream, name)
  } catch (error) {
    if (isStreamMissing(error)) await redeclareStreams(bus)
    else if (!isConsumerMissing(error)) throw error
    return undefined
  }
}

/** Messages that a durable consumer has not acknowledged, those it never saw included. */
export async function durableLag(bus: Bus, name: string): Promise<number> {
  const { manager } = await jetStream(bus)
  const info = await manager.consumers.info(eventStream, name)
  return info.num_pending + info.num_ack_pending
}
