import { AckPolicy, DeliverPolicy, nanos, type ConsumerConfig, type ConsumerInfo, type JetStreamManager } from 'nats'
import type { Bus } from '@parley/rpc'
import { isConsumerMissing, isMessageMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import { redeclareStreams, streamMaxAgeMs } from '../stream/declare.ts'
import { decodeBatch } from '../stream/decode.ts'
import { durableName, eventStream } from '../subjects.ts'
import type { KeeperRequests } from './requests.ts'
import { Refusal } from './checks.ts'
import { findNewestUpTo } from './find-newest.ts'

const lookBackMs = 2 * 3_600_000
/** Maximum number of messages that all processes of a consumer together have not acknowledged yet. */
const maxInFlight = 1024
const ackWaitMs = 60_000
/**
 * Time without a pull after which the server deletes a durable. For an abandoned durable, outboxes would keep the
 * entries under its subject, and later count them as lost.
 */
const abandonedAfterNs = nanos(streamMaxAgeMs)
const maxDurables = 64
const lagsCacheMs = 5_000

/**
 * Creates a durable, which begins at the first stored event, and the stream if it is missing. `anew`: deletes an
 * existing durable first. Throws a Refusal if the deployable has too many durables, or if the durable exists with
 * another subject: a process of an earlier release may still acknowledge its messages without handling them.
 */
export async function createDurable(
  bus: Bus,
  name: string,
  { requester, subject, anew }: { requester: string; subject: string; anew: boolean },
): Promise<void> {
  const { manager } = await jetStream(bus)
  if (anew) await remove(manager, name)
  const known = await findDurable(bus, name)
  if (known === undefined) {
    let others = 0
    for await (const other of manager.consumers.list(eventStream))
      if (other.name.startsWith(durableName(requester, ''))) others++
    if (others >= maxDurables) throw new Refusal('there are too many durables')
    await addDurable(manager, name, {
      filter_subject: subject,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: maxInFlight,
      max_deliver: -1,
      inactive_threshold: abandonedAfterNs,
    })
  } else if (known.config.filter_subject !== subject) {
    throw new Refusal(`${name} consumes ${known.config.filter_subject}; to consume ${subject} it needs another name`)
  } else if (known.config.inactive_threshold !== abandonedAfterNs) {
    await manager.consumers.update(eventStream, name, { inactive_threshold: abandonedAfterNs })
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

type Lags = { listedAt: number; all: Promise<ReadonlyMap<string, number>> }

const lagsOf = new WeakMap<Bus, Lags>()

/**
 * Counts the unacknowledged messages of each durable with this name prefix, including undelivered ones. Cached for five
 * seconds, because services that started together ask at the same time. If the cache contains no such durable, the
 * counts are read again.
 */
export async function readLagsOfDurables(bus: Bus, prefix: string): Promise<Record<string, number>> {
  const known = lagsOf.get(bus)
  if (known !== undefined && performance.now() - known.listedAt <= lagsCacheMs) {
    const lags = withPrefix(await known.all, prefix)
    if (Object.keys(lags).length > 0) return lags
  }
  const listed = { listedAt: performance.now(), all: listLags(bus) }
  lagsOf.set(bus, listed)
  listed.all.catch(() => lagsOf.get(bus) === listed && lagsOf.delete(bus))
  return withPrefix(await listed.all, prefix)
}

const withPrefix = (lags: ReadonlyMap<string, number>, prefix: string): Record<string, number> =>
  Object.fromEntries([...lags].filter(([name]) => name.startsWith(prefix)))

async function listLags(bus: Bus): Promise<ReadonlyMap<string, number>> {
  const { manager } = await jetStream(bus)
  const lags = new Map<string, number>()
  for await (const { name, num_pending, num_ack_pending } of manager.consumers.list(eventStream))
    lags.set(name, num_pending + num_ack_pending)
  return lags
}

/** For each filter, the lowest acknowledged position of its durables; and the first sequence of the stream. */
export async function readProgress(bus: Bus): Promise<KeeperRequests['passed']['answer']> {
  const { manager } = await jetStream(bus)
  const { state } = await manager.streams.info(eventStream)
  const places = new Map<string, number>()
  for await (const { config, ack_floor: floor, num_pending, num_ack_pending } of manager.consumers.list(eventStream)) {
    if (config.durable_name === undefined) continue
    const subject = config.filter_subject ?? '>'
    // A durable without pending messages has passed the whole stream: messages after its ack floor are for others.
    const seq = num_pending + num_ack_pending === 0 ? state.last_seq : floor.stream_seq
    places.set(subject, Math.min(seq, places.get(subject) ?? seq))
  }
  return { firstSeq: state.first_seq, places: [...places].map(([subject, seq]) => ({ subject, seq })) }
}

/**
 * Ids of the events in the newest message up to which a durable has acknowledged everything; empty if there is none or
 * the stream no longer holds it.
 */
export async function readLastAcknowledged(bus: Bus, name: string): Promise<string[]> {
  const { manager } = await jetStream(bus)
  const info = await manager.consumers.info(eventStream, name).catch((error: unknown) => {
    if (isConsumerMissing(error) || isStreamMissing(error)) return undefined
    throw error
  })
  if (info === undefined) return []
  const { ack_floor, config } = info
  if (ack_floor.consumer_seq === 0) return []
  const message = await findNewestUpTo(manager, config.filter_subject ?? '>', ack_floor.stream_seq)
  if (message === undefined) return []
  try {
    return [...new Set(decodeBatch(message.data).map(({ id }) => id))]
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

/**
 * After the stream lost events, a durable would skip new events whose sequences are not above those it has delivered.
 * Each durable is recreated at the event after its ack floor or, if that is earlier, at the first event of the last two
 * hours; inboxes drop events handled before. A durable that its service declares meanwhile starts at the first event.
 * `beforeEach` is awaited before each durable is recreated.
 */
export async function resetDurables(bus: Bus, beforeEach: () => Promise<unknown>): Promise<void> {
  const { manager } = await jetStream(bus)
  const { state } = await manager.streams.info(eventStream)
  for await (const durable of manager.consumers.list(eventStream)) {
    if (durable.config.durable_name === undefined) continue
    await beforeEach()
    await reset(manager, durable, state.first_seq)
  }
}

async function reset(manager: JetStreamManager, durable: ConsumerInfo, firstSeq: number): Promise<void> {
  const { opt_start_seq: _seq, opt_start_time: _time, ...config } = durable.config
  const nextSeq = durable.ack_floor.stream_seq + 1
  const start = nextSeq < firstSeq ? { deliver_policy: DeliverPolicy.All } : await startPosition(manager, nextSeq)
  await remove(manager, durable.name)
  await addDurable(manager, durable.name, { ...config, ...start })
}

async function remove(manager: JetStreamManager, name: string): Promise<void> {
  try {
    await manager.consumers.delete(eventStream, name)
  } catch (error) {
    if (!isConsumerMissing(error) && !isStreamMissing(error)) throw error
  }
}

async function addDurable(manager: JetStreamManager, name: string, config: Partial<ConsumerConfig>): Promise<void> {
  try {
    await manager.consumers.add(eventStream, { ...config, durable_name: name })
  } catch (error) {
    // Server versions report an existing durable with another start position by different errors.
    const isThere = await manager.consumers.info(eventStream, name).then(
      () => true,
      () => false,
    )
    if (!isThere) throw error
  }
}

async function startPosition(manager: JetStreamManager, nextSeq: number): Promise<Partial<ConsumerConfig>> {
  const lookBack = new Date(Date.now() - lookBackMs)
  try {
    const next = await manager.streams.getMessage(eventStream, { seq: nextSeq })
    if (next.time < lookBack) return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: nextSeq }
  } catch (error) {
    if (!isMessageMissing(error)) throw error
  }
  return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: lookBack.toISOString() }
}
