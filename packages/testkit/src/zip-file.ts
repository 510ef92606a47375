import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'

/** Writes a zip archive: texts and bytes by path, objects as JSON. */
export async function writeZip(path: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of Object.entries(files)) {
    const bytes =
      typeof content === 'string' || content instanceof Uint8Array
        ? Buffer.from(content)
        : Buffer.from(JSON.stringify(content))
    zip.addBuffer(bytes, name)
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}
