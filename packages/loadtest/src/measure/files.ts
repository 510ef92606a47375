import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AssetUploadService, type Asset } from '@parley/contracts/api'
import type { Fleet } from '@parley/local'
import { RefusedError, type HttpCaller } from '../load/http-caller.ts'
import { residentKib } from '../load/memory.ts'
import { createRoom } from '../load/rooms.ts'
import type { Report } from '../report.ts'

export const largestFile = 1024 * 1024 * 1024

const chunkBytes = 524_288
const mebibyte = 1024 * 1024
const sampleEveryMs = 50
const timeoutMs = 60_000

export async function measureFiles(fleet: Fleet, http: HttpCaller, report: Report): Promise<void> {
  const uploads = fleet.services.find(({ name }) => name === 'uploads')
  if (!uploads) throw new Error('uploads has no process of its own; measure without PARLEY_LAYOUT=compact')
  const chunk = randomBytes(chunkBytes)
  const floor = await measureDiskFloors(chunk)
  const roomId = await createRoom(http, 'bench-files')
  const before = residentKib(uploads.pid)
  let peak = before
  const sampling = setInterval(() => (peak = Math.max(peak, residentKib(uploads.pid))), sampleEveryMs)
  try {
    const sending = performance.now()
    const uploadId = await upload(http, roomId, chunk)
    const sent = performance.now()
    const asset = await complete(http, uploadId)
    const completed = performance.now()
    await download(asset)
    const downloaded = performance.now()
    report.add('upload of 1 GiB in chunks', perSecond(sent - sending), 'MiB/s', floor.write)
    report.add('CompleteUpload of 1 GiB', perSecond(completed - sent), 'MiB/s', floor.write)
    report.add('download of 1 GiB', perSecond(downloaded - completed), 'MiB/s', floor.read)
  } finally {
    clearInterval(sampling)
  }
  report.add('RSS of uploads, largest increase with 1 GiB', (peak - before) / 1024, 'MiB')
}

const perSecond = (ms: number): number => largestFile / mebibyte / (ms / 1000)

async function upload(http: HttpCaller, roomId: string, content: Uint8Array): Promise<string> {
  const { createUpload, uploadChunk } = AssetUploadService.method
  const whole = createHash('sha256')
  for (let at = 0; at < largestFile; at += chunkBytes) whole.update(content)
  const file = { roomId, filename: 'large.bin', size: BigInt(largestFile), sha256: whole.digest('hex') }
  const created = await http.call(createUpload, file)
  const uploadId = created.upload?.uploadId ?? ''
  const chunkSha256 = createHash('sha256').update(content).digest('hex')
  for (let at = 0; at < largestFile; at += chunkBytes)
    await http.call(uploadChunk, { uploadId, offset: BigInt(at), content, chunkSha256 })
  return uploadId
}

/** Repeats CompleteUpload if it is refused or exceeds its deadline. Every repetition returns the same file. */
async function complete(http: HttpCaller, uploadId: string): Promise<Asset> {
  for (const giveUpAt = Date.now() + timeoutMs; ; await sleep(20)) {
    try {
      const { asset } = await http.call(AssetUploadService.method.completeUpload, { uploadId })
      if (asset) return asset
    } catch (error) {
      const isTemporary =
        error instanceof RefusedError || (error instanceof Error && / answered 504:/.test(error.message))
      if (!isTemporary || Date.now() > giveUpAt) throw error
    }
  }
}

async function download({ assetUrl }: Asset): Promise<void> {
  const response = await fetch(assetUrl?.url ?? '')
  let length = 0
  for await (const bytes of response.body ?? []) length += (bytes as Uint8Array).length
  if (length !== largestFile) throw new Error(`the download had ${length} bytes (status ${response.status})`)
}

/** MiB/s at which the same bytes are written to a file and flushed to the disk, and at which they are read. */
async function measureDiskFloors(chunk: Uint8Array): Promise<{ write: number; read: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-disk-'))
  const path = join(directory, 'file')
  try {
    const begun = performance.now()
    const file = await open(path, 'w')
    for (let at = 0; at < largestFile; at += chunkBytes) await file.write(chunk)
    await file.sync()
    await file.close()
    const written = performance.now()
    const reading = createReadStream(path, { highWaterMark: chunkBytes }).resume()
    await once(reading, 'close')
    return { write: perSecond(written - begun), read: perSecond(performance.now() - written) }
  } finally {
    await rm(directory, { recursive: true })
  }
}
