import { createHash } from 'node:crypto'
import type { Asset } from '@parley/contracts/api'
import type { Env } from './_env.ts'

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export type Sending = { userId?: string; roomId?: string; filename?: string; contentType?: string; chunkBytes?: number }

/** The announcement of these bytes. */
export const announcing = (
  bytes: Uint8Array,
  { roomId = 'Rtea', filename = 'notes.txt', contentType }: Sending = {},
) => ({
  roomId,
  filename,
  contentType: contentType ?? 'text/plain',
  size: BigInt(bytes.length),
  sha256: sha256(bytes),
})

/** Sends bytes in chunks; returns the id of the session. */
export async function sendChunks(env: Env, bytes: Uint8Array, sending: Sending = {}): Promise<string> {
  const { userId = 'Ualice', chunkBytes = 524_288 } = sending
  const { uploads } = env.as(userId)
  const { upload } = await uploads.createUpload(announcing(bytes, sending))
  const uploadId = upload?.uploadId ?? ''
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const content = bytes.subarray(at, at + chunkBytes)
    await uploads.uploadChunk({ uploadId, offset: BigInt(at), content, chunkSha256: sha256(content) })
  }
  return uploadId
}

/** Sends a whole file. */
export async function sendFile(env: Env, bytes: Uint8Array, sending: Sending = {}): Promise<Asset> {
  const uploadId = await sendChunks(env, bytes, sending)
  const { asset } = await env.as(sending.userId ?? 'Ualice').uploads.completeUpload({ uploadId })
  if (!asset) throw new Error('no asset')
  return asset
}

export const claiming = (assetIds: string[], changes: { eventId?: string; userId?: string; roomId?: string } = {}) => ({
  ...{ roomId: 'Rtea', eventId: 'E1', userId: 'Ualice', assetIds },
  ...changes,
})
