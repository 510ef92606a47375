import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { assetUrl, toVideoProcessing, type ServerImageSize } from '@parley/signed-urls'
import type {
  MessageAssetUrlSchema,
  MessageAttachmentSchema,
  MessageVideoProcessingSchema,
} from '@parley/contracts/api'
import { VideoStateSchema } from '@parley/contracts/internal'
import type { AttachmentRow } from '../domain/event-row.ts'
import type { ViewContext } from './view-context.ts'

const timelineThumbnail = { width: 960, height: 400, fit: 'contain' } as const

/** The URLs are valid for this reader, for a day. */
export function toAttachment(
  viewContext: ViewContext,
  attached: AttachmentRow,
): MessageInitShape<typeof MessageAttachmentSchema> {
  const { assetId: id, filename, contentType, width, height, video } = attached
  const isImage = width > 0 && height > 0
  return {
    ...{ id, filename, contentType, width, height },
    assetUrl: toUrl(viewContext, id),
    ...(isImage && { thumbnailAssetUrl: toUrl(viewContext, id, timelineThumbnail) }),
    ...(video !== null && { videoProcessing: toVideo(viewContext, id, video) }),
  }
}

/**
 * Returns a URL that is signed for this reader: of the image scaled to `size` or, without `size`, of the whole file.
 */
export function toUrl(
  { assets, userId, now }: ViewContext,
  assetId: string,
  size?: ServerImageSize,
): MessageInitShape<typeof MessageAssetUrlSchema> {
  const { url, expiresAt } = assetUrl(assets, { assetId, userId, now, ...(size && { image: size }) })
  return { url, expiresAt: timestampFromDate(expiresAt) }
}

export function toVideo(
  { assets, userId, now }: ViewContext,
  assetId: string,
  video: string,
): MessageInitShape<typeof MessageVideoProcessingSchema> {
  const state = fromBinary(VideoStateSchema, Buffer.from(video, 'base64'))
  return toVideoProcessing(state, (variant) => assetUrl(assets, { assetId, userId, now, variant }))
}
