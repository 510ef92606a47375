import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { exitCodes, Failure } from './failure.ts'

export type WritePiece = (piece: string | Uint8Array) => Promise<void>

const cannotWrite = (path: string, why: string) =>
  new Failure(exitCodes.refused, 'failed_precondition', `${path} cannot be written: ${why}`)

/** Only the owner can read the file. It replaces an existing file once it is complete and flushed to disk. */
export async function writePrivately<T>(path: string, write: (take: WritePiece) => Promise<T>): Promise<T> {
  const existing = await stat(path).catch(() => undefined)
  // Renaming would replace a device or a pipe with a file.
  if (existing && !existing.isFile()) throw cannotWrite(path, 'it exists and is not a regular file')
  // Concurrent writers of the same file use different temporary files.
  const partial = `${path}.${randomBytes(4).toString('hex')}.partial`
  let file: FileHandle | undefined
  try {
    file = await open(partial, 'wx', 0o600)
    const done = await writeBuffered(file, write)
    await rename(partial, path)
    return done
  } catch (error) {
    if (file) await rm(partial, { force: true })
    if (error instanceof Error && 'syscall' in error) throw cannotWrite(path, error.message)
    throw error
  }
}

const bufferBytes = 256 * 1024

async function writeBuffered<T>(file: FileHandle, write: (take: WritePiece) => Promise<T>): Promise<T> {
  let waiting: Buffer[] = []
  let size = 0
  const flush = async () => {
    await file.appendFile(Buffer.concat(waiting))
    waiting = []
    size = 0
  }
  try {
    const done = await write(async (piece) => {
      const bytes = Buffer.from(piece)
      waiting.push(bytes)
      size += bytes.length
      if (size >= bufferBytes) await flush()
    })
    await flush()
    await file.sync()
    return done
  } finally {
    await file.close()
  }
}
