import { encodeArgs, posterFile, probeArgs, renditionFile, sourceFile } from './ffmpeg-args.ts'
import type { JobFolder } from './job-folder.ts'
import { findOutputFile, type Made } from './output-file.ts'
import { readProbe, type SourceVideo } from './read-probe.ts'
import { planRenditions, type Rendition } from './renditions.ts'
import type { ToolResult } from './run-tool.ts'
import type { VideoTools } from './tools.ts'
import { VideoFailure } from './video-failure.ts'

export type Encoded = {
  source: SourceVideo & { durationMs: number }
  renditions: (Made & Rendition)[]
  poster: Made | undefined
}

/** Makes renditions of videos. */
export type Encoder = {
  /** A folder for one video: its source and its renditions. */
  openFolder: () => Promise<JobFolder>
  /** Makes all renditions of the source in the folder. Throws a VideoFailure if the source cannot be converted. */
  encode: (job: EncodeJob) => Promise<Encoded>
}

export type EncodeJob = { demuxer: string; folder: string; signal: AbortSignal }

/** The `encode` of an {@link Encoder} with the programs of this machine. */
export async function encode(tools: VideoTools, { demuxer, folder, signal }: EncodeJob): Promise<Encoded> {
  const probe = async (format: string, file: string): Promise<SourceVideo> => {
    const { output } = succeeded(await tools.ffprobe({ args: probeArgs(format, file), folder, signal }))
    const found = readProbe(output)
    if (!found) throw new VideoFailure('processing_failed', 'no moving pictures, or too large ones')
    return found
  }
  const source = await probe(demuxer, sourceFile)
  const [best, ...others] = planRenditions(source)
  const posterAtMs = Math.min(1000, Math.floor((source.durationMs ?? 0) / 3))
  const args = encodeArgs({ demuxer, renditions: [best, ...others], posterAtMs })
  succeeded(await tools.ffmpeg({ args, folder, signal }))

  const renditions = await Promise.all(
    [best, ...others].map(async (rendition) => {
      const made = await findOutputFile(folder, renditionFile(rendition))
      if (!made) throw new VideoFailure('processing_failed', 'a rendition is empty')
      return { ...rendition, ...made }
    }),
  )
  // Browser recordings do not contain their duration, but the renditions do.
  const durationMs = source.durationMs ?? (await probe('mov', renditionFile(best))).durationMs ?? 0
  return { source: { ...source, durationMs }, renditions, poster: await findOutputFile(folder, posterFile) }
}

/** Throws a VideoFailure, or another error when the machine rather than the video is to blame. */
function succeeded(result: ToolResult): ToolResult {
  const { code, killed, complaint } = result
  if (code === 0) return result
  // The system ran out of memory or of disk.
  if (killed === 'SIGKILL' || /No space left on device/.test(complaint)) throw new Error('ffmpeg was not left to work')
  throw new VideoFailure('processing_failed', complaint.trim().split('\n').at(-1) ?? '')
}
