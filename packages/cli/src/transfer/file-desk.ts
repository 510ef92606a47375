import { createHash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import type { AttachedAsset } from '@parley/contracts/internal'
import type { ArchivedFile } from './archive.ts'
import type { TransferFleet } from './fleet.ts'
import type { Report } from './report.ts'

const chunkBytes = 512 * 1024

/** Where a file belongs. */
export type FilePlace = { roomId: string; ownerId: string; messageId: string; place: string }

/** Takes files whose bytes are there. */
export class FileDesk {
  readonly #fleet: Pick<TransferFleet, 'uploads'>
  readonly #terms: { source: string; report: Report }

  constructor(fleet: Pick<TransferFleet, 'uploads'>, terms: { source: string; report: Report }) {
    this.#fleet = fleet
    this.#terms = terms
  }

  /** The file as a message keeps it; undefined when it cannot be taken. */
  async take(file: ArchivedFile, at: FilePlace): Promise<AttachedAsset | undefined> {
    const { report } = this.#terms
    const left = (reason: string) => {
      report.left('files', reason, at.place)
      return undefined
    }
    if (!file.bytes) return left('their bytes are neither in the archive nor in the folder of --files')
    try {
      return await this.#send(file, file.bytes, at)
    } catch (error) {
      if (error instanceof ConnectError && error.code !== Code.InvalidArgument) throw error
      return left(error instanceof ConnectError ? error.rawMessage : 'their bytes cannot be read')
    }
  }

  async #send(
    file: ArchivedFile,
    bytes: NonNullable<ArchivedFile['bytes']>,
    { roomId, ownerId, messageId }: FilePlace,
  ): Promise<AttachedAsset | undefined> {
    const { source, report } = this.#terms
    const { size, sha256 } = await digestOf(bytes)
    const begun = await this.#fleet.uploads.importFile({
      ...{ source, externalId: `${messageId}/${file.id}`, roomId, ownerId, size: BigInt(size), sha256 },
      ...{ filename: file.name, contentType: file.contentType || 'application/octet-stream' },
    })
    if (begun.asset) return begun.asset
    let committed = Number(begun.committed)
    for await (const { offset, content } of chunksOf((await bytes()).stream)) {
      if (offset < committed) continue
      const answer = await this.#fleet.uploads.importFileChunk({
        ...{ uploadId: begun.uploadId, offset: BigInt(offset), content },
      })
      committed = Number(answer.committed)
    }
    const { asset } = await this.#fleet.uploads.completeImportedFile({ uploadId: begun.uploadId })
    report.took('files')
    return asset
  }
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

/** The bytes in pieces that always begin at the same places, so that a file goes on where it stopped. */
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
