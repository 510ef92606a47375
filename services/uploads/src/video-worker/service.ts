import { tmpdir } from 'node:os'
import {
  Health,
  periodically,
  Resources,
  serveHttp,
  serveInternal,
  defaultTimeouts,
  type Service,
} from '@parley/runtime'
import { divideMemory } from '../engines/memory.ts'
import { removeOldJobFolders, openLocalEncoder } from '../engines/video/index.ts'
import type { Config } from './config.ts'
import { handleVideoRequests } from './handle-video-requests.ts'

/**
 * Encodes videos for uploads, without secrets, database or bus, so that a compromised ffmpeg gains nothing. Throws if
 * ffmpeg does not work here.
 */
export async function startWorkerProcess(config: Config, { stop }: { stop?: AbortSignal } = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = stop ? AbortSignal.any([closing.signal, stop]) : closing.signal
  const health = new Health()
  const ffmpegReady = health.requireAtStart('ffmpeg')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))
  const memory = divideMemory(config, { images: false, videos: true })
  const encoder = await openLocalEncoder(config, { memoryBytes: memory.toolBytes, signal })
  if (!encoder) throw new Error('a video worker needs working ffmpeg and ffprobe programs; see the previous log line')
  const folder = config.videoFolder ?? tmpdir()
  const sweep = () => removeOldJobFolders(folder, 2 * config.videoTimeoutMs)
  opened.use(periodically({ name: 'remove old job folders', everyMs: 300_000, signal, run: sweep }))
  const http = opened.use(
    await serveHttp({
      ...{ host: config.httpHost, port: config.httpPort },
      handle: handleVideoRequests({
        encoder,
        atOnce: memory.videosAtOnce,
        maxBytes: Math.max(config.maxVideoUploadBytes, config.maxUploadBytes),
        signal,
      }),
      // The connection is idle while a video is processed.
      timeouts: { ...defaultTimeouts, idle: config.videoTimeoutMs + defaultTimeouts.idle },
    }),
  )
  ffmpegReady()
  opened.defer('videos', () => {
    health.drain()
    closing.abort()
  })
  return Object.assign(opened.move(), {
    ...{ internalPort: internal.port, url: http.url, drainTimeoutMs: config.drainTimeoutMs },
  })
}
