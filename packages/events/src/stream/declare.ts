import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import type { Bus } from '@parley/rpc'
import { allEvents, eventStream } from '../subjects.ts'
import { isClusterTooSmall, isStoreTooSmall, isStreamMissing, isStreamNameTaken, jetStream } from './api.ts'

const HOUR_MS = 3_600_000

/** How long the stream keeps events, in milliseconds. */
export const streamMaxAgeMs = 72 * HOUR_MS

const defaultMaxBytes = 12 * 1024 ** 3
/** A size limit that exceeds the storage is halved until it fits; once it is this small, it is an error instead. */
const minMaxBytes = 16 * 1024 ** 2

/** Settings of the stream that an installation may choose. */
export type StreamOptions = {
  /** Copies in the cluster, 1 to 5. Default: unchanged, or 1 for a new stream. */
  replicas?: number
  /** Largest size in bytes; the oldest events are dropped first. Default: unchanged, or 12 GiB for a new stream. */
  maxBytes?: number
}

const declared = new WeakMap<Bus, StreamOptions>()

const fixedConfig = {
  subjects: [allEvents],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  max_age: nanos(streamMaxAgeMs),
  duplicate_window: nanos(120_000),
  allow_direct: true,
}

/**
 * Creates the stream or updates its configuration. Repeated and concurrent calls are harmless. If the stream is missing
 * later, it is declared again with the last options. A size limit that exceeds the storage is lowered. In a cluster
 * with too few servers for the replicas, the number of copies is left unchanged; a later call adds the rest when there
 * are enough servers. Rejects if the bus does not answer, or the storage is too small even for a few megabytes.
 */
export async function declareStreams(bus: Bus, options: StreamOptions = {}): Promise<void> {
  declared.set(bus, options)
  await redeclareStreams(bus)
}

/** Declares the stream with the options of the last `declareStreams` on this connection. */
export async function redeclareStreams(bus: Bus): Promise<void> {
  const { manager } = await jetStream(bus)
  const { replicas, maxBytes } = declared.get(bus) ?? {}
  const current = await manager.streams.info(eventStream).catch((error: unknown) => {
    if (isStreamMissing(error)) return undefined
    throw error
  })
  const known = current !== undefined && current.config.max_bytes > 0 ? current.config.max_bytes : defaultMaxBytes
  let bytes = maxBytes ?? known
  // A server without a cluster accepts any number of copies for an existing stream, but refuses to load that stream
  // after a restart.
  let copies = current !== undefined && current.cluster === undefined ? 1 : replicas
  for (;;) {
    const config = { ...fixedConfig, max_bytes: bytes, ...(copies === undefined ? {} : { num_replicas: copies }) }
    try {
      if (current === undefined) await manager.streams.add({ name: eventStream, ...config })
      else if (differs(current.config, config))
        await manager.streams.update(eventStream, { ...current.config, ...config })
      return
    } catch (error) {
      // Another process has just created it.
      if (current === undefined && isStreamNameTaken(error)) return await redeclareStreams(bus)
      // The storage is smaller than the limit. A stream that fills it would stop accepting messages.
      if (isStoreTooSmall(error) && bytes > minMaxBytes) bytes = Math.floor(bytes / 2)
      else if (isClusterTooSmall(error) && copies !== undefined) copies = undefined
      else throw error
    }
  }
}

function differs(current: StreamConfig, config: Partial<StreamConfig>): boolean {
  const keys = Object.keys(config) as (keyof StreamConfig)[]
  return keys.some((key) => JSON.stringify(current[key]) !== JSON.stringify(config[key]))
}
