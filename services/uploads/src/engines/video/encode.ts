import { encodeArgs, posterFile, probeArgs, renditionFile, sourceFile } from './ffmpeg-args.ts'
import type { JobFolder } from './job-folder.ts'
import { findOutputFile, type OutputFile } from './output-file.ts'
import { readProbe, type SourceVideo } from './read-probe.ts'
import { planRenditions, type Rendition } from './renditions.ts'
import type { ToolResult } from './run-tool.ts'
import type { VideoTools } from './tools.ts'
import { VideoFailure } from './video-failure.ts'

export type Encoded = {
  source: SourceVideo & { durationMs: number }
  renditions: (OutputFile & Rendition)[]
  poster: OutputFile | undefined
}

export type Encoder = {
  openFolder: () => Promise<JobFolder>
  /**
   * Encodes all renditions and the poster of the source into its folder. Throws a VideoFailure if the source cannot be
   * converted.
   */
  encode: (job: EncodeJob) => Promise<Encoded>
}

export type EncodeJob = { demuxer: string; folder: string; signal: AbortSignal }

export async function encode(tools: VideoTools, { demuxer, folder, signal }: EncodeJob): Promise<Encoded> {
  const probe = async (format: string, file: string): Promise<SourceVideo> => {
    const { output } = assertSucceeded(await tools.ffprobe({ args: probeArgs(format, file), folder, signal }))
    const found = readProbe(output)
    if (!found) throw new VideoFailure('processing_failed', 'no video stream, or its size is invalid or too large')
    return found
  }
  const source = await probe(demuxer, sourceFile)
  const [best, ...others] = planRenditions(source)
  const posterAtMs = Math.min(1000, Math.floor((source.durationMs ?? 0) / 3))
  const args = encodeArgs({ demuxer, renditions: [best, ...others], posterAtMs })
  assertSucceeded(await tools.ffmpeg({ args, folder, signal }))

  const renditions = await Promise.all(
    [best, ...others].map(async (rendition) => {
      const output = await findOutputFile(folder, renditionFile(rendition))
      if (!output) throw new VideoFailure('processing_failed', 'a rendition is missing, empty or not a file')
      return { ...rendition, ...output }
    }),
  )
  // Browser recordings do not contain their duration, but the renditions do.
  const durationMs = source.durationMs ?? (await probe('mov', renditionFile(best))).durationMs ?? 0
  return { source: { ...source, durationMs }, renditions, poster: await findOutputFile(folder, posterFile) }
}

/**
 * Throws a VideoFailure if the program failed, or another error if the cause is probably this machine, not the video.
 */
function assertSucceeded(result: ToolResult): ToolResult {
  const { code, killed, errorOutput } = result
  if (code === 0) return result
  // The kernel sends SIGKILL when memory runs out. A program that exceeds its CPU limit gets SIGXCPU first, and rarely
  // continues until SIGKILL.
  if (killed === 'SIGKILL' || /No space left on device/.test(errorOutput))
    throw new Error('ffmpeg or ffprobe was killed, or the disk is full')
  throw new VideoFailure('processing_failed', errorOutput.trim().split('\n').at(-1) ?? '')
}
