import { createHash } from 'node:crypto'
import type { Asset } from '@parley/contracts/api'
import type { Env } from './_env.ts'

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export type FileOptions = {
  userId?: string
  roomId?: string
  filename?: string
  contentType?: string
  chunkBytes?: number
}

export const uploadRequest = (
  bytes: Uint8Array,
  { roomId = 'Rtea', filename = 'notes.txt', contentType }: FileOptions = {},
) => ({
  roomId,
  filename,
  contentType: contentType ?? 'text/plain',
  size: BigInt(bytes.length),
  sha256: sha256(bytes),
})

export async function sendChunks(env: Env, bytes: Uint8Array, options: FileOptions = {}): Promise<string> {
  const { userId = 'Ualice', chunkBytes = 524_288 } = options
  const { uploads } = env.as(userId)
  const { upload } = await uploads.createUpload(uploadRequest(bytes, options))
  const uploadId = upload?.uploadId ?? ''
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const content = bytes.subarray(at, at + chunkBytes)
    await uploads.uploadChunk({ uploadId, offset: BigInt(at), content, chunkSha256: sha256(content) })
  }
  return uploadId
}

export async function sendFile(env: Env, bytes: Uint8Array, options: FileOptions = {}): Promise<Asset> {
  const uploadId = await sendChunks(env, bytes, options)
  const { asset } = await env.as(options.userId ?? 'Ualice').uploads.completeUpload({ uploadId })
  if (!asset) throw new Error('no asset')
  return asset
}

export const claimRequest = (
  assetIds: string[],
  changes: { eventId?: string; userId?: string; roomId?: string } = {},
) => ({
  ...{ roomId: 'Rtea', eventId: 'E1', userId: 'Ualice', assetIds },
  ...changes,
})
