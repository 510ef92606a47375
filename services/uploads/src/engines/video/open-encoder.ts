import type { Encoder } from './encode.ts'
import { openLocalEncoder } from './open-local-encoder.ts'
import { remoteEncoder } from './remote-encoder.ts'
import type { VideoSettings } from './settings.ts'

type Settings = VideoSettings & { videoEnabled: boolean; videoWorkerUrls: readonly string[] }

/**
 * Uses the configured workers or, without any, the local ffmpeg. Undefined if videos are off or the local ffmpeg does
 * not work.
 */
export async function openEncoder(
  config: Settings,
  memoryBytes: number,
  signal: AbortSignal,
): Promise<Encoder | undefined> {
  if (!config.videoEnabled) return undefined
  if (config.videoWorkerUrls.length > 0) return remoteEncoder(config.videoWorkerUrls, config)
  return await openLocalEncoder(config, { memoryBytes, signal })
}
