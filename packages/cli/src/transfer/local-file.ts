import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Throws for anything but a regular file inside the folder: an untrusted folder may contain symbolic links to any
 * location, and a folder may be replaced by a link after it was listed.
 */
export async function fileAt(
  folder: string,
  name: string,
): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }> {
  const path = join(await realpath(folder), name)
  if ((await realpath(path)) !== path) throw new Error('it is a symbolic link, or in a folder that is one')
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const about = await file.stat()
  if (about.isFile()) return { size: about.size, stream: file.createReadStream() }
  await file.close()
  throw new Error('it is not a file')
}
