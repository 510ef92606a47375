import { runTool, type ToolCall, type ToolResult } from './run-tool.ts'
import type { VideoSettings } from './settings.ts'

/** Each call has the limits for CPU time, file size and memory to itself. */
export type VideoTools = {
  ffmpeg: (call: ToolUse) => Promise<ToolResult>
  ffprobe: (call: ToolUse) => Promise<ToolResult>
}
export type ToolUse = Pick<ToolCall, 'args' | 'folder' | 'signal'>

const checkTimeoutMs = 20_000

type Options = {
  memoryBytes: number
  userId?: number | undefined
}

export function videoTools(
  { ffmpegPath, ffprobePath, videoTimeoutMs, maxVideoUploadBytes }: VideoSettings,
  { memoryBytes, userId }: Options,
): VideoTools {
  const limits = {
    cpuSeconds: (2 * videoTimeoutMs) / 1000 + 10,
    // A rendition is rarely larger than its source.
    fileBytes: 4 * maxVideoUploadBytes,
    memoryBytes,
  }
  return {
    ffmpeg: (use) => runTool({ ...use, program: ffmpegPath, limits, userId }),
    ffprobe: (use) => runTool({ ...use, program: ffprobePath, limits, userId }),
  }
}

export async function findProblem(
  { ffmpeg, ffprobe }: VideoTools,
  { folder, signal }: Pick<ToolUse, 'folder' | 'signal'>,
): Promise<string | undefined> {
  const use = (...args: string[]): ToolUse => {
    return { args, folder, signal: AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]) }
  }
  const outcomes = await Promise.allSettled([ffmpeg(use('-hide_banner', '-encoders')), ffprobe(use('-version'))])
  signal.throwIfAborted()
  const [encoders, version] = outcomes.map((outcome) =>
    outcome.status === 'fulfilled' && outcome.value.code === 0 ? outcome.value.output : undefined,
  )
  if (encoders === undefined) return 'ffmpeg does not run'
  if (version === undefined) return 'ffprobe does not run'
  return /\blibx264\b/.test(encoders) && /\baac\b/.test(encoders) ? undefined : 'ffmpeg cannot encode H.264 and AAC'
}
