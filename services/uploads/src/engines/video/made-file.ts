import { constants, createReadStream, type ReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that ffmpeg made in the folder of a job. */
export type Made = { file: string; size: number }

/** What there is of that name; undefined for nothing, an empty file, or anything but a file, such as a link elsewhere. */
export async function findMade(folder: string, file: string): Promise<Made | undefined> {
  const found = await lstat(join(folder, file)).catch(() => undefined)
  return found?.isFile() && found.size > 0 ? { file, size: found.size } : undefined
}

/** Its bytes. Whoever took ffmpeg over may have put a link there since, to what only this process may read: it is not followed. */
export const readMade = (folder: string, { file, size }: Made): ReadStream =>
  createReadStream(join(folder, file), {
    // Neither does it wait for who writes to a pipe.
    flags: (constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK) as unknown as string,
    end: size - 1,
  })
