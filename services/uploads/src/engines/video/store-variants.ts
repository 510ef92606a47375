import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '@parley/ids'
import { storageKeys, type Storage } from '../storage/index.ts'
import type { VariantRow } from '../../store/asset-variants.ts'
import type { Encoded } from './encode.ts'
import { readOutputFile, type OutputFile } from './output-file.ts'

const posterName = 'poster'

type Work = { assetId: string; folder: string; signal: AbortSignal; encoded: Encoded }

/**
 * Stores the bytes and returns the rows. If a file cannot be stored, deletes the others; if that fails or the process
 * dies, they are left to the sweep.
 */
export async function storeVariants(
  ctx: { storage: Storage; now: () => Date },
  { assetId, folder, signal, encoded }: Work,
): Promise<VariantRow[]> {
  const stored: VariantRow[] = []
  const store = async (file: OutputFile, name: string, contentType: string): Promise<void> => {
    signal.throwIfAborted()
    const key = newId('asset')
    const hash = createHash('sha256')
    const row = { key, assetId, name, contentType, size: file.size, createdAt: ctx.now() }
    // Recorded before its bytes are stored, so that they are deleted if a later file cannot be stored.
    const index = stored.push({ ...row, sha256: '' }) - 1
    await ctx.storage.put(storageKeys.variant(key), Readable.from(hashWhileReading(readOutputFile(folder, file), hash)))
    stored[index] = { ...row, sha256: hash.digest('hex') }
  }
  try {
    for (const rendition of encoded.renditions) await store(rendition, rendition.quality, 'video/mp4')
    if (encoded.poster) await store(encoded.poster, posterName, 'image/jpeg')
    return stored
  } catch (error) {
    await deleteVariantBytes(ctx, stored)
    throw error
  }
}

export async function deleteVariantBytes(ctx: { storage: Storage }, variants: readonly VariantRow[]): Promise<void> {
  for (const { key } of variants) await ctx.storage.delete(storageKeys.variant(key))
}

async function* hashWhileReading(
  content: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncIterable<Buffer> {
  for await (const bytes of content) {
    hash.update(bytes)
    yield bytes
  }
}
