import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { assetUrl, toVideoProcessing, type ServerImageSize } from '@parley/signed-urls'
import type {
  MessageAssetUrlSchema,
  MessageAttachmentSchema,
  MessageVideoProcessingSchema,
} from '@parley/contracts/api'
import { VideoStateSchema } from '@parley/contracts/internal'
import type { Attached } from '../domain/event-row.ts'
import type { Viewing } from './viewing.ts'

/** Size of images in timelines. */
const thumbnail = { width: 960, height: 400, fit: 'contain' } as const

/** A file with addresses at which this reader can open it for a day. */
export function toAttachment(viewing: Viewing, attached: Attached): MessageInitShape<typeof MessageAttachmentSchema> {
  const { assetId: id, filename, contentType, width, height, video } = attached
  const isImage = width > 0 && height > 0
  return {
    ...{ id, filename, contentType, width, height },
    assetUrl: toUrl(viewing, id),
    ...(isImage && { thumbnailAssetUrl: toUrl(viewing, id, thumbnail) }),
    ...(video !== null && { videoProcessing: toVideo(viewing, id, video) }),
  }
}

/** Address of a file, or of a small image of it, for this reader. */
export function toUrl(
  { assets, userId, now }: Viewing,
  assetId: string,
  image?: ServerImageSize,
): MessageInitShape<typeof MessageAssetUrlSchema> {
  const { url, expiresAt } = assetUrl(assets, { assetId, userId, now, ...(image && { image }) })
  return { url, expiresAt: timestampFromDate(expiresAt) }
}

/** The state of a video, with addresses of its renditions for this reader. */
export function toVideo(
  { assets, userId, now }: Viewing,
  assetId: string,
  video: string,
): MessageInitShape<typeof MessageVideoProcessingSchema> {
  const state = fromBinary(VideoStateSchema, Buffer.from(video, 'base64'))
  return toVideoProcessing(state, (variant) => assetUrl(assets, { assetId, userId, now, variant }))
}
