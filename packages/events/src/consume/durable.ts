import { AckPolicy, DeliverPolicy, nanos } from 'nats'
import type { Bus } from '@parley/rpc'
import { isConsumerMissing, isConsumerThere, isStreamMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams } from '../stream/declare.ts'
import { eventStream } from '../subjects.ts'

/** Most messages that all processes of a consumer may have in hand. */
const mostInHand = 1024
const ackWaitMs = 60_000

/** Makes a durable consumer, and the stream, if they are missing; it begins at the first event there is. */
export async function declareDurable(bus: Bus, name: string, subject: string): Promise<void> {
  const { manager } = await jetStream(bus)
  try {
    const { config } = await manager.consumers.info(eventStream, name)
    if (config.filter_subject !== subject)
      await manager.consumers.update(eventStream, name, { filter_subject: subject })
    return
  } catch (error) {
    if (isStreamMissing(error)) await redeclareStreams(bus)
    else if (!isConsumerMissing(error)) throw error
  }
  try {
    await manager.consumers.add(eventStream, {
      durable_name: name,
      filter_subject: subject,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: mostInHand,
      max_deliver: -1,
    })
  } catch (error) {
    if (!isConsumerThere(error)) throw error
  }
}

/** Messages that a durable consumer has not acknowledged, those it never saw included. */
export async function durableLag(bus: Bus, name: string): Promise<number> {
  const { manager } = await jetStream(bus)
  const info = await manager.consumers.info(eventStream, name)
  return info.num_pending + info.num_ack_pending
}
