import { tmpdir } from 'node:os'
import { encode, type Encoder } from './encode.ts'
import { openJobFolder } from './job-folder.ts'
import { reportNoVideo, reportOwnUser } from './metrics.ts'
import type { VideoSettings } from './settings.ts'
import { findProblem, videoTools, type VideoTools } from './tools.ts'

type Options = { memoryBytes: number; signal: AbortSignal }

/** Opens an encoder with the ffmpeg of this machine. Logs an error and returns undefined if it does not work. */
export async function openLocalEncoder(settings: VideoSettings, options: Options): Promise<Encoder | undefined> {
  const userId = await findToolUser(settings, options)
  const tools = videoTools(settings, { ...options, userId })
  const problem = await checkTools(tools, { settings, userId, signal: options.signal })
  if (problem === undefined)
    return { encode: (job) => encode(tools, job), openFolder: () => openFolder(settings, userId) }
  reportNoVideo(problem)
  return undefined
}

/**
 * Returns the user as whom ffmpeg runs, if this process may change users. A compromised ffmpeg then cannot read this
 * process, whose environment contains secrets.
 */
async function findToolUser(settings: VideoSettings, options: Options): Promise<number | undefined> {
  const { videoUserId: userId } = settings
  if (userId === 0) return undefined
  const problem = await checkTools(videoTools(settings, { ...options, userId }), {
    settings,
    userId,
    signal: options.signal,
  })
  if (problem === undefined) return userId
  options.signal.throwIfAborted()
  reportOwnUser(userId, problem)
  return undefined
}

type ToolCheck = { settings: VideoSettings; userId: number | undefined; signal: AbortSignal }

async function checkTools(tools: VideoTools, { settings, userId, signal }: ToolCheck): Promise<string | undefined> {
  try {
    await using folder = await openFolder(settings, userId)
    return await findProblem(tools, { folder: folder.path, signal })
  } catch (error) {
    signal.throwIfAborted()
    // Without another user this is a problem of the folder itself.
    if (userId === undefined) throw error
    return 'its folder cannot be owned by another user'
  }
}

const openFolder = ({ videoFolder = tmpdir() }: VideoSettings, userId: number | undefined) =>
  openJobFolder(videoFolder, userId)
