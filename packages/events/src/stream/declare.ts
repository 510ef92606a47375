import { DiscardPolicy, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats'
import type { Bus } from '@parley/rpc'
import { logger } from '@parley/telemetry'
import { allEvents, eventStream } from '../subjects.ts'
import { isClusterTooSmall, isStoreTooSmall, isStreamMissing, isStreamNameTaken, jetStream } from './api.ts'

const log = logger('stream')
const HOUR_MS = 3_600_000

/** How long the stream keeps events. */
export const streamMaxAgeMs = 72 * HOUR_MS

const defaultMaxBytes = 12 * 1024 ** 3
/** A new stream's limit above the storage is halved until it fits. A limit up to this that does not fit is an error. */
const minMaxBytes = 16 * 1024 ** 2

export type StreamOptions = {
  /** Copies in the cluster, 1 to 5. Default: unchanged, or 1 for a new stream. */
  replicas?: number
  /** Largest size in bytes; the oldest events are dropped first. Default: unchanged, or 12 GiB for a new stream. */
  maxBytes?: number
}

const declared = new WeakMap<Bus, StreamOptions>()
const reported = new WeakMap<Bus, number>()

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
 * Creates the stream or updates its configuration. May be called repeatedly and concurrently. A size limit that exceeds
 * the storage is logged; an existing stream then keeps its limit, and a new stream gets a lower limit. With too few
 * servers for the replicas, the number of copies stays (1 for a new stream) until a later call. Rejects if the bus does
 * not answer, or the storage is too small even for a few megabytes.
 */
export async function declareStreams(bus: Bus, options: StreamOptions = {}): Promise<void> {
  declared.set(bus, options)
  await redeclareStreams(bus)
}

/** Uses the options of the last `declareStreams` on this connection. */
export async function redeclareStreams(bus: Bus): Promise<void> {
  const { manager } = await jetStream(bus)
  const { replicas, maxBytes } = declared.get(bus) ?? {}
  const current = await manager.streams.info(eventStream).catch((error: unknown) => {
    if (isStreamMissing(error)) return undefined
    throw error
  })
  const present = current !== undefined && current.config.max_bytes > 0 ? current.config.max_bytes : undefined
  const wanted = maxBytes ?? present ?? defaultMaxBytes
  let bytes = wanted
  // A server without a cluster accepts any number of copies for an existing stream, but refuses to load that stream
  // after a restart.
  let copies = current !== undefined && current.cluster === undefined ? 1 : replicas
  for (;;) {
    const config = { ...fixedConfig, max_bytes: bytes, ...(copies === undefined ? {} : { num_replicas: copies }) }
    try {
      if (current === undefined) await manager.streams.add({ name: eventStream, ...config })
      else if (differs(current.config, config))
        await manager.streams.update(eventStream, { ...current.config, ...config })
      return reportLimit(bus, bytes, wanted)
    } catch (error) {
      if (current === undefined && isStreamNameTaken(error)) return await redeclareStreams(bus)
      // A lower limit than the present one would delete events at once.
      if (isStoreTooSmall(error) && present !== undefined && bytes > present) bytes = present
      // A stream that fills the storage would stop accepting messages.
      else if (isStoreTooSmall(error) && present === undefined && bytes > minMaxBytes) bytes = Math.floor(bytes / 2)
      else if (isClusterTooSmall(error) && copies !== undefined) copies = undefined
      else throw error
    }
  }
}

function reportLimit(bus: Bus, bytes: number, wanted: number): void {
  if (bytes >= wanted) return void reported.delete(bus)
  if (reported.get(bus) === wanted) return
  reported.set(bus, wanted)
  const todo = 'raise max_file_store of NATS and its disk, or set PARLEY_NATS_STREAM_MAX_BYTES lower'
  log.warn(
    { maxBytes: bytes, wanted },
    `the storage of NATS is too small for the wanted limit of the stream of events: ${todo}`,
  )
}

function differs(current: StreamConfig, config: Partial<StreamConfig>): boolean {
  const keys = Object.keys(config) as (keyof StreamConfig)[]
  return keys.some((key) => JSON.stringify(current[key]) !== JSON.stringify(config[key]))
}
