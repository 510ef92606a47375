import { createHash } from 'node:crypto'
import { AssetUploadService } from '@parley/contracts/api'
import type { Person } from './people.ts'

export async function sendFile(
  person: Person,
  roomId: string,
  data: string | Uint8Array,
  properties = { filename: 'notes.txt', contentType: 'text/plain' },
): Promise<string> {
  const content = typeof data === 'string' ? new TextEncoder().encode(data) : data
  const sha256 = createHash('sha256').update(content).digest('hex')
  const { createUpload, uploadChunk, completeUpload } = AssetUploadService.method
  const file = { roomId, ...properties, size: BigInt(content.length), sha256 }
  const uploadId = (await person.call(createUpload, file)).upload?.uploadId ?? ''
  await person.call(uploadChunk, { uploadId, offset: 0n, content, chunkSha256: sha256 })
  return (await person.call(completeUpload, { uploadId })).asset?.id ?? ''
}
