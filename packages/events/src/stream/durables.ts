import { DeliverPolicy, type ConsumerConfig, type ConsumerInfo, type JetStreamManager } from 'nats'
import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { isConsumerMissing, isMessageMissing, jetStream } from './api.ts'

const LOOK_BACK_MS = 2 * 3_600_000

/**
 * Makes every durable consumer anew, after the stream lost events: a durable remembers sequences, would skip what is
 * stored under them anew, and say nothing. Each begins at the lower of its ack floor and the first event of the last two
 * hours; inboxes drop what was handled before. A consumer that is declared by its owner meanwhile begins at the first
 * event there is.
 */
export async function resetDurables(bus: Bus): Promise<void> {
  const { manager } = await jetStream(bus)
  const { state } = await manager.streams.info(eventStream)
  for await (const durable of manager.consumers.list(eventStream)) {
    if (durable.config.durable_name !== undefined) await reset(manager, durable, state.first_seq)
  }
}

async function reset(manager: JetStreamManager, durable: ConsumerInfo, firstSeq: number): Promise<void> {
  const { opt_start_seq: _seq, opt_start_time: _time, ...config } = durable.config
  const nextSeq = durable.ack_floor.stream_seq + 1
  const start = nextSeq < firstSeq ? { deliver_policy: DeliverPolicy.All } : await startOf(manager, nextSeq)
  try {
    await manager.consumers.delete(eventStream, durable.name)
  } catch (error) {
    if (!isConsumerMissing(error)) throw error
  }
  await addDurable(manager, durable.name, { ...config, ...start })
}

/** Makes a durable consumer unless there is one of that name, however it begins. */
export async function addDurable(
  manager: JetStreamManager,
  name: string,
  config: Partial<ConsumerConfig>,
): Promise<void> {
  try {
    await manager.consumers.add(eventStream, { ...config, durable_name: name })
  } catch (error) {
    // Servers say in different ways that it exists and begins elsewhere.
    const isThere = await manager.consumers.info(eventStream, name).then(
      () => true,
      () => false,
    )
    if (!isThere) throw error
  }
}

async function startOf(manager: JetStreamManager, nextSeq: number): Promise<Partial<ConsumerConfig>> {
  const lookBack = new Date(Date.now() - LOOK_BACK_MS)
  try {
    const next = await manager.streams.getMessage(eventStream, { seq: nextSeq })
    if (next.time < lookBack) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: nextSeq }
  } catch (error) {
    if (!isMessageMissing(error)) throw error
  }
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: lookBack.toISOString() }
}
