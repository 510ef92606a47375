import type { Config } from '../../config.ts'
import type { Encoder } from './encode.ts'
import { openEncoder } from './open-encoder.ts'
import { remoteEncoder } from './remote-encoder.ts'

/** What processes videos: this process, or the workers that are named; undefined while nobody does. */
export async function openVideos(
  config: Config,
  memoryBytes: number,
  signal: AbortSignal,
): Promise<Encoder | undefined> {
  if (!config.videoEnabled) return undefined
  const isRemote = config.videoWorkerUrls.length > 0
  const open = isRemote ? () => remoteEncoder(config.videoWorkerUrls, config) : openEncoder
  return await open(config, { memoryBytes, signal })
}
