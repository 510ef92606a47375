import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { storageKeys, type Storage } from '../storage/index.ts'
import { sourceFile } from './ffmpeg-args.ts'
import { sniffContainer, sniffedBytes } from './sniff-container.ts'
import { VideoFailure } from './video-failure.ts'

type Source = { assetId: string; size: number; folder: string; signal: AbortSignal }

/**
 * Copies the original into the folder, and returns its demuxer. Throws a VideoFailure if the original is missing from
 * the storage, larger than `size` bytes, or in no accepted container format.
 */
export async function fetchSource(storage: Storage, { assetId, size, folder, signal }: Source): Promise<string> {
  const stored = await storage.get(storageKeys.asset(assetId))
  if (!stored) throw new VideoFailure('original_missing', 'the bytes are not in the storage')
  const path = join(folder, sourceFile)
  await pipeline(stored.content, limitBytes(size), createWriteStream(path, { flags: 'wx', mode: 0o644 }), { signal })
  return detectDemuxer(path)
}

export async function detectDemuxer(path: string): Promise<string> {
  const demuxer = sniffContainer(await readStart(path))
  if (demuxer === undefined) throw new VideoFailure('processing_failed', 'unknown container format')
  return demuxer
}

export const limitBytes = (size: number) =>
  async function* bounded(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    let length = 0
    for await (const bytes of content) {
      length += bytes.length
      if (length > size) throw new VideoFailure('processing_failed', 'the file is larger than announced')
      yield bytes
    }
  }

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffedBytes), 0, sniffedBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
