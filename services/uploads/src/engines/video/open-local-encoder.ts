import { tmpdir } from 'node:os'
import { encode, type Encoder } from './encode.ts'
import { openJobFolder } from './job-folder.ts'
import { reportRunsAsOwnUser, reportToolsUnusable } from './metrics.ts'
import type { VideoSettings } from './settings.ts'
import { findProblem, videoTools, type VideoTools } from './tools.ts'

type Options = { memoryBytes: number; signal: AbortSignal }

/**
 * Logs an error and returns undefined if the ffmpeg of this machine does not work. Throws if the folder for jobs cannot
 * be used.
 */
export async function openLocalEncoder(settings: VideoSettings, options: Options): Promise<Encoder | undefined> {
  const userId = await findToolUser(settings, options)
  const tools = videoTools(settings, { ...options, userId })
  const problem = await checkTools(tools, { settings, userId, signal: options.signal })
  if (problem === undefined)
    return { encode: (job) => encode(tools, job), openFolder: () => openFolder(settings, userId) }
  reportToolsUnusable(problem)
  return undefined
}

/**
 * Undefined if no separate user is configured, this process may not change users, or ffmpeg does not work as that user.
 * A compromised ffmpeg of a separate user cannot read this process, whose environment contains secrets.
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
  reportRunsAsOwnUser(userId, problem)
  return undefined
}

type ToolCheck = { settings: VideoSettings; userId: number | undefined; signal: AbortSignal }

async function checkTools(tools: VideoTools, { settings, userId, signal }: ToolCheck): Promise<string | undefined> {
  try {
    await using folder = await openFolder(settings, userId)
    return await findProblem(tools, { folder: folder.path, signal })
  } catch (error) {
    signal.throwIfAborted()
    if (userId === undefined) throw error
    return 'its folder cannot be created, or given to another user'
  }
}

const openFolder = ({ videoFolder = tmpdir() }: VideoSettings, userId: number | undefined) =>
  openJobFolder(videoFolder, userId)
