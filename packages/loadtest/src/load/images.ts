import { createHash, randomBytes } from 'node:crypto'
import { AssetUploadService, MessageService } from '@parley/contracts/api'
import sharp from 'sharp'
import type { HttpCaller } from './http-caller.ts'

const { createUpload, uploadChunk, completeUpload } = AssetUploadService.method
const chunkBytes = 524_288

export const createPhotos = (count: number): Promise<Buffer[]> =>
  Promise.all(Array.from({ length: count }, createPhoto))

function createPhoto(): Promise<Buffer> {
  const [width, height] = [300, 200]
  return sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } })
    .resize(2400, 1600)
    .jpeg({ quality: 85 })
    .toBuffer()
}

export async function postImages(http: HttpCaller, roomId: string, images: readonly Buffer[]): Promise<string[]> {
  const attachmentAssetIds = await Promise.all(images.map((bytes) => uploadImage(http, roomId, bytes)))
  await http.call(MessageService.method.createMessage, { roomId, attachmentAssetIds })
  return attachmentAssetIds
}

async function uploadImage(http: HttpCaller, roomId: string, bytes: Buffer): Promise<string> {
  const file = { filename: 'photo.jpg', contentType: 'image/jpeg', size: BigInt(bytes.length), sha256: sha256(bytes) }
  const { upload } = await http.call(createUpload, { roomId, ...file })
  const uploadId = upload?.uploadId ?? ''
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const content = bytes.subarray(at, at + chunkBytes)
    await http.call(uploadChunk, { uploadId, offset: BigInt(at), content, chunkSha256: sha256(content) })
  }
  const { asset } = await http.call(completeUpload, { uploadId })
  if (!asset) throw new Error('CompleteUpload returned no asset')
  return asset.id
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
