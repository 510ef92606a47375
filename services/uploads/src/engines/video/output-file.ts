import { constants, createReadStream, type ReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

export type OutputFile = { file: string; size: number }

/** Undefined if the file is missing, empty, or not a regular file, such as a link. */
export async function findOutputFile(folder: string, file: string): Promise<OutputFile | undefined> {
  const found = await lstat(join(folder, file)).catch(() => undefined)
  return found?.isFile() && found.size > 0 ? { file, size: found.size } : undefined
}

/**
 * Does not follow links: an attacker who controls ffmpeg may have replaced the file by a link to something that only
 * this process can read.
 */
export const readOutputFile = (folder: string, { file, size }: OutputFile): ReadStream =>
  createReadStream(join(folder, file), {
    flags: (constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK) as unknown as string,
    end: size - 1,
  })
