import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

/** A file of a folder. Throws when it is none. */
export async function fileAt(path: string): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }> {
  const about = await stat(path)
  if (!about.isFile()) throw new Error('it is not a file')
  return { size: about.size, stream: createReadStream(path) }
}
