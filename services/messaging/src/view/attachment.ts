import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { assetUrl, type ServerImageSize } from '@parley/auth'
import type { MessageAssetUrlSchema, MessageAttachmentSchema } from '@parley/contracts/api'
import type { Attached } from '../domain/event-row.ts'
import type { Viewing } from './viewing.ts'

/** How timelines show images. */
const thumbnail = { width: 960, height: 400, fit: 'contain' } as const

/** A file with addresses that let this reader open it for a day. */
export function toAttachment(viewing: Viewing, attached: Attached): MessageInitShape<typeof MessageAttachmentSchema> {
  const { assetId: id, filename, contentType, width, height } = attached
  const isImage = width > 0 && height > 0
  return {
    ...{ id, filename, contentType, width, height },
    assetUrl: toUrl(viewing, id),
    ...(isImage && { thumbnailAssetUrl: toUrl(viewing, id, thumbnail) }),
  }
}

/** Where this reader opens a file, or a small image of it. */
export function toUrl(
  { assets, userId, now }: Viewing,
  assetId: string,
  image?: ServerImageSize,
): MessageInitShape<typeof MessageAssetUrlSchema> {
  const { url, expiresAt } = assetUrl(assets, { assetId, userId, now, ...(image && { image }) })
  return { url, expiresAt: timestampFromDate(expiresAt) }
}
