import { tmpdir } from 'node:os'
import { encode, type Encoder } from './encode.ts'
import { openJobFolder } from './job-folder.ts'
import { reportNoVideo, reportOwnUser } from './metrics.ts'
import type { VideoSettings } from './settings.ts'
import { findProblem, videoTools, type VideoTools } from './tools.ts'

type Options = { memoryBytes: number; signal: AbortSignal }

/** The programs of this machine; logs a warning and returns undefined if they do not work. */
export async function openLocalEncoder(settings: VideoSettings, options: Options): Promise<Encoder | undefined> {
  const userId = await findToolUser(settings, options)
  const tools = videoTools(settings, { ...options, userId })
  const fault = await checkTools(tools, { settings, userId, signal: options.signal })
  if (fault === undefined) return { encode: (job) => encode(tools, job), openFolder: () => folderOf(settings, userId) }
  reportNoVideo(fault)
  return undefined
}

/**
 * The user for the programs, if this process may change users. A compromised program then cannot read this process,
 * whose environment contains secrets.
 */
async function findToolUser(settings: VideoSettings, options: Options): Promise<number | undefined> {
  const { videoUserId: userId } = settings
  if (userId === 0) return undefined
  const fault = await checkTools(videoTools(settings, { ...options, userId }), {
    settings,
    userId,
    signal: options.signal,
  })
  if (fault === undefined) return userId
  options.signal.throwIfAborted()
  reportOwnUser(userId, fault)
  return undefined
}

type Trial = { settings: VideoSettings; userId: number | undefined; signal: AbortSignal }

async function checkTools(tools: VideoTools, { settings, userId, signal }: Trial): Promise<string | undefined> {
  try {
    await using folder = await folderOf(settings, userId)
    return await findProblem(tools, { folder: folder.path, signal })
  } catch (error) {
    signal.throwIfAborted()
    // An unusable folder is reported by the code that needs it first.
    if (userId === undefined) throw error
    return 'its folder cannot be given to another user'
  }
}

const folderOf = ({ videoFolder = tmpdir() }: VideoSettings, userId: number | undefined) =>
  openJobFolder(videoFolder, userId)
