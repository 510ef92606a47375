import { createHash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import type { AttachedAsset } from '@parley/contracts/internal'
import type { ArchivedFile } from './archive.ts'
import type { TransferFleet } from './fleet.ts'
import type { Report } from './report.ts'

const chunkBytes = 512 * 1024
const maxNameLength = 255
const maxAttempts = 3

export type FileContext = { roomId: string; ownerId: string; messageId: string; location: string }

export class FileImporter {
  readonly #fleet: Pick<TransferFleet, 'uploads'>
  readonly #options: { source: string; report: Report }

  constructor(fleet: Pick<TransferFleet, 'uploads'>, options: { source: string; report: Report }) {
    this.#fleet = fleet
    this.#options = options
  }

  /** Returns undefined if the file cannot be read or uploads refuses it; throws other errors of uploads. */
  async import(file: ArchivedFile, at: FileContext): Promise<AttachedAsset | undefined> {
    const { report } = this.#options
    const skip = (reason: string) => {
      report.addSkipped('files', reason, at.location)
      return undefined
    }
    if (!file.bytes) return skip('their bytes are neither in the archive nor in the --files folder')
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(file, file.bytes, at)
      } catch (error) {
        if (!(error instanceof ConnectError)) return skip(whyUnreadable(error))
        // The upload may have expired, or another run may have removed it.
        const isGone = error.code === Code.NotFound
        if (isGone && attempt < maxAttempts) continue
        if (!isGone && error.code !== Code.InvalidArgument) throw error
        return skip(error.rawMessage)
      }
    }
  }

  async #send(
    file: ArchivedFile,
    bytes: NonNullable<ArchivedFile['bytes']>,
    { roomId, ownerId, messageId }: FileContext,
  ): Promise<AttachedAsset | undefined> {
    const { source, report } = this.#options
    const { uploads } = this.#fleet
    const { size, sha256 } = await digestOf(bytes)
    if (file.size !== undefined && file.size !== size) throw new SizeMismatch()
    const request = {
      ...{ source, externalId: `${messageId}/${file.id}`, roomId, ownerId, size: BigInt(size), sha256 },
      ...{ filename: file.name.slice(-maxNameLength), contentType: file.contentType || 'application/octet-stream' },
    }
    const started = await uploads.importFile(request)
    if (started.asset) return started.asset
    const { uploadId } = started
    let committed = Number(started.committed)
    for await (const { offset, content } of chunksOf((await bytes()).stream)) {
      if (offset < committed) continue
      const sent = await uploads
        .importFileChunk({ uploadId, offset: BigInt(offset), content })
        .catch(async (error: unknown) => {
          // Another run may be sending the same file; continue from its offset.
          const now = await uploads.importFile(request)
          if (now.asset || (now.uploadId === uploadId && Number(now.committed) > offset)) return now
          throw error
        })
      if ('asset' in sent && sent.asset) return sent.asset
      committed = Number(sent.committed)
    }
    const complete = await uploads
      .completeImportedFile({ uploadId })
      .catch(async (error: unknown) => ({ asset: (await uploads.importFile(request)).asset ?? rethrow(error) }))
    report.addImported('files')
    return complete.asset
  }
}

class SizeMismatch extends Error {}

const whyUnreadable = (error: unknown): string =>
  error instanceof SizeMismatch ? 'the archive states another size' : 'their bytes cannot be read'

const rethrow = (error: unknown): never => {
  throw error
}

async function digestOf(bytes: NonNullable<ArchivedFile['bytes']>): Promise<{ size: number; sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of (await bytes()).stream) {
    hash.update(piece)
    size += piece.length
  }
  return { size, sha256: hash.digest('hex') }
}

/** Chunks have fixed offsets, so that an interrupted upload can continue. */
async function* chunksOf(
  stream: AsyncIterable<Uint8Array>,
): AsyncIterable<{ offset: number; content: Uint8Array<ArrayBuffer> }> {
  let [waiting, offset]: [Buffer, number] = [Buffer.alloc(0), 0]
  for await (const piece of stream) {
    waiting = Buffer.concat([waiting, piece])
    for (; waiting.length >= chunkBytes; offset += chunkBytes, waiting = waiting.subarray(chunkBytes))
      yield { offset, content: Uint8Array.from(waiting.subarray(0, chunkBytes)) }
  }
  if (waiting.length > 0) yield { offset, content: Uint8Array.from(waiting) }
}
