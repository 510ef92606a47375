import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A file of a folder. Throws when it is none: a link in a folder of strangers may point anywhere. */
export async function fileAt(path: string): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const about = await file.stat()
  if (about.isFile()) return { size: about.size, stream: file.createReadStream() }
  await file.close()
  throw new Error('it is not a file')
}
