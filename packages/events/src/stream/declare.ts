import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import type { Bus } from '@parley/rpc'
import { allEvents, eventStream } from '../subjects.ts'
import { isClusterTooSmall, isStoreTooSmall, isStreamMissing, isStreamThere, jetStream } from './api.ts'

const HOUR_MS = 3_600_000

/** How long the stream keeps events, in milliseconds. */
export const streamMaxAgeMs = 72 * HOUR_MS

const usualMaxBytes = 12 * 1024 ** 3
/** What a stream has at least. */
const leastMaxBytes = 16 * 1024 ** 2

/** What an installation decides about the stream. */
export type StreamOptions = {
  /** Copies in the cluster, 1 to 5. Default: as it is, 1 when it is made. */
  replicas?: number
  /** Most bytes it holds; the oldest events go first. Default: as it is, 12 GiB when it is made. */
  maxBytes?: number
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
 * finds the stream missing later declares it again with the options given last. A cluster with too few servers for the
 * replicas gets the rest: a stream with fewer copies serves people, and whoever repeats this adds them once it can be. Rejects
 * when the bus does not answer.
 */
export async function declareStreams(bus: Bus, options: StreamOptions = {}): Promise<void> {
  declared.set(bus, options)
  await redeclareStreams(bus)
}

/** Declares the stream as this process declared it before. */
export async function redeclareStreams(bus: Bus): Promise<void> {
  const { manager } = await jetStream(bus)
  const { replicas, maxBytes } = declared.get(bus) ?? {}
  const current = await manager.streams.info(eventStream).catch((error: unknown) => {
    if (isStreamMissing(error)) return undefined
    throw error
  })
  const known = current !== undefined && current.config.max_bytes > 0 ? current.config.max_bytes : usualMaxBytes
  let most = maxBytes ?? known
  // A server without a cluster takes any number for a stream it has, and refuses to read that stream when it starts again.
  let copies = current !== undefined && current.cluster === undefined ? 1 : replicas
  for (;;) {
    const config = { ...wanted, max_bytes: most, ...(copies === undefined ? {} : { num_replicas: copies }) }
    try {
      if (current === undefined) await manager.streams.add({ name: eventStream, ...config })
      else if (differs(current.config, config))
        await manager.streams.update(eventStream, { ...current.config, ...config })
      return
    } catch (error) {
      // Somebody made it meanwhile.
      if (current === undefined && isStreamThere(error)) return await redeclareStreams(bus)
      // The store has less: a stream that could fill it would end with nothing being taken any more.
      if (isStoreTooSmall(error) && most > leastMaxBytes) most = Math.floor(most / 2)
      else if (isClusterTooSmall(error) && copies !== undefined) copies = undefined
      else throw error
    }
  }
}

function differs(current: StreamConfig, config: Partial<StreamConfig>): boolean {
  const keys = Object.keys(config) as (keyof StreamConfig)[]
  return keys.some((key) => JSON.stringify(current[key]) !== JSON.stringify(config[key]))
}
