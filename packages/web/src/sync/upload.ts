import { Code, ConnectError, newIdempotencyKey, type MemberClient } from '@parley/client'
import { failureText } from '../session/failure-text.ts'
import { Cell } from '../state/cell.ts'

/** State of an upload; `sent`: bytes. A `failed` upload can be retried, a `refused` one cannot. */
export type UploadState =
  | { at: 'reading' }
  | { at: 'sending'; sent: number }
  | { at: 'paused'; sent: number }
  | { at: 'failed'; sent: number }
  | { at: 'refused'; reason: string }
  | { at: 'done'; assetId: string }

const maxPieceBytes = 1024 * 1024
const permanent = new Set([...[Code.InvalidArgument, Code.PermissionDenied, Code.FailedPrecondition, Code.NotFound]])

/** Uploads a file in chunks. After a pause or failure it continues from the last stored chunk. */
export class Upload {
  readonly key = newIdempotencyKey()
  readonly file: File
  readonly state = new Cell<UploadState>({ at: 'reading' })
  readonly #server: MemberClient
  readonly #roomId: string
  #uploadId = ''
  #chunkBytes = maxPieceBytes
  #sent = 0
  #isWanted = true
  #isCancelled = false
  #isRunning = false

  constructor(server: MemberClient, roomId: string, file: File) {
    this.#server = server
    this.#roomId = roomId
    this.file = file
    void this.resume()
  }

  pause(): void {
    this.#isWanted = false
    this.state.set({ at: 'paused', sent: this.#sent })
  }

  async resume(): Promise<void> {
    this.#isWanted = true
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      if (this.#uploadId === '') await this.#begin()
      else await this.#catchUp()
      await this.#send()
    } catch (thrown) {
      const error = ConnectError.from(thrown)
      if (permanent.has(error.code)) this.state.set({ at: 'refused', reason: failureText(thrown) })
      else if (this.#isWanted) this.state.set({ at: 'failed', sent: this.#sent })
    } finally {
      this.#isRunning = false
    }
  }

  cancel(): void {
    this.#isWanted = false
    this.#isCancelled = true
    if (this.#uploadId === '' || this.state.value.at === 'done') return
    void this.#server.api.assetUpload.cancelUpload({ uploadId: this.#uploadId }).catch(() => undefined)
  }

  async #begin(): Promise<void> {
    this.state.set({ at: 'reading' })
    const { name, type, size } = this.file
    const { newDigest } = await import('./digest.ts')
    const digest = newDigest()
    for (let from = 0; from < size; from += maxPieceBytes) digest.update(await this.#piece(from, maxPieceBytes))
    if (this.#isCancelled) return
    const request = { roomId: this.#roomId, filename: name, contentType: type, size: BigInt(size) }
    const { upload } = await this.#server.api.assetUpload.createUpload(
      { ...request, sha256: digest.hex() },
      { headers: { 'idempotency-key': this.key } },
    )
    this.#uploadId = upload?.uploadId ?? ''
    this.#chunkBytes = Math.min(upload?.maxChunkSize || maxPieceBytes, maxPieceBytes)
    if (this.#isCancelled) this.cancel()
  }

  /** Requests the offset from the server, because a response may have been lost. */
  async #catchUp(): Promise<void> {
    const { upload } = await this.#server.api.assetUpload.getUpload({ uploadId: this.#uploadId })
    this.#sent = Number(upload?.committedOffset ?? 0n)
  }

  async #send(): Promise<void> {
    const { newDigest } = await import('./digest.ts')
    const { assetUpload } = this.#server.api
    const uploadId = this.#uploadId
    while (this.#isWanted && this.#sent < this.file.size) {
      this.state.set({ at: 'sending', sent: this.#sent })
      const content = await this.#piece(this.#sent, this.#chunkBytes)
      const digest = newDigest()
      digest.update(content)
      const chunk = { uploadId, offset: BigInt(this.#sent), content, chunkSha256: digest.hex() }
      const { upload } = await assetUpload.uploadChunk(chunk, { timeoutMs: 60_000 })
      this.#sent = Number(upload?.committedOffset ?? 0n)
    }
    if (!this.#isWanted) return
    const { asset } = await assetUpload.completeUpload({ uploadId }, { timeoutMs: 60_000 })
    this.state.set({ at: 'done', assetId: asset?.id ?? '' })
  }

  async #piece(from: number, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await this.file.slice(from, from + bytes).arrayBuffer())
  }
}
