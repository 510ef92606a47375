import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import type { Bus } from '@parley/rpc'
import { allEvents, eventStream } from '../subjects.ts'
import { isStreamMissing, jetStream } from './api.ts'

const HOUR_MS = 3_600_000

/** How long the stream keeps events, in milliseconds. */
export const streamMaxAgeMs = 72 * HOUR_MS

/** What an installation decides about the stream. */
export type StreamOptions = {
  /** Copies in the cluster, 1 to 5. Default: as it is, 1 when it is made. */
  replicas?: number
}

const declared = new WeakMap<Bus, StreamOptions>()

const wanted = {
  subjects: [allEvents],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  max_age: nanos(streamMaxAgeMs),
  duplicate_window: nanos(120_000),
  allow_direct: true,
}

/**
 * Makes the stream, or brings it to what it should be; harmless to repeat and from several processes at once. Whoever
 * finds the stream missing later declares it again with the options given last. Rejects when the bus does not answer.
 */
export async function declareStreams(bus: Bus, options: StreamOptions = {}): Promise<void> {
  declared.set(bus, options)
  await redeclareStreams(bus)
}

/** Declares the stream as this process declared it before. */
export async function redeclareStreams(bus: Bus): Promise<void> {
  const { manager } = await jetStream(bus)
  const { replicas } = declared.get(bus) ?? {}
  const config = { ...wanted, ...(replicas === undefined ? {} : { num_replicas: replicas }) }
  try {
    const current = (await manager.streams.info(eventStream)).config
    if (differs(current, config)) await manager.streams.update(eventStream, { ...current, ...config })
  } catch (error) {
    if (!isStreamMissing(error)) throw error
    await manager.streams.add({ name: eventStream, ...config })
  }
}

function differs(current: StreamConfig, config: Partial<StreamConfig>): boolean {
  const keys = Object.keys(config) as (keyof StreamConfig)[]
  return keys.some((key) => JSON.stringify(current[key]) !== JSON.stringify(config[key]))
}
