import { chown, mkdir, mkdtemp, opendir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

const prefix = 'parley-video-'

export type JobFolder = AsyncDisposable & { path: string }

/**
 * Disposing removes the folder with its content. `userId`: the system user who owns the folder; default: that of this
 * process.
 */
export async function openJobFolder(parent: string, userId?: number): Promise<JobFolder> {
  await mkdir(parent, { recursive: true })
  const path = await mkdtemp(join(parent, prefix))
  const remove = () => rm(path, { recursive: true, force: true })
  try {
    if (userId !== undefined) await chown(path, userId, userId)
  } catch (error) {
    await remove()
    throw error
  }
  return { path, [Symbol.asyncDispose]: remove }
}

/**
 * Removes the folders of jobs that are older than `olderThanMs`: their process was killed. Creates `parent` if it is
 * missing.
 */
export async function removeOldJobFolders(parent: string, olderThanMs: number): Promise<void> {
  await mkdir(parent, { recursive: true })
  for await (const { name } of await opendir(parent)) {
    if (!name.startsWith(prefix)) continue
    const path = join(parent, name)
    const found = await stat(path).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - olderThanMs) await rm(path, { recursive: true, force: true })
  }
}
