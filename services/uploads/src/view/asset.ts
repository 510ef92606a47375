import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { assetUrl, toVideoProcessing, type ServerImageSize } from '@parley/signed-urls'
import {
  AssetSchema,
  ImageFitMode,
  type Asset,
  type ImageTransformOptions,
  type MessageAssetUrlSchema,
} from '@parley/contracts/api'
import type { VideoState } from '@parley/contracts/internal'
import type { AssetRow } from '../store/assets.ts'

export type AssetViewOptions = { userId: string; now: Date; from: { publicUrl: string; signingSecret: string } }

const defaultThumbnail: ServerImageSize = { width: 120, height: 120, fit: 'cover' }

export function thumbnailSize(options: ImageTransformOptions | undefined): ServerImageSize {
  if (!options) return defaultThumbnail
  const fit = options.fit === ImageFitMode.CONTAIN ? 'contain' : 'cover'
  return { width: options.width, height: options.height, fit }
}

type Extras = { thumbnail?: ServerImageSize; video?: VideoState | undefined }

export function toAsset(
  row: AssetRow,
  { userId, now, from }: AssetViewOptions,
  { thumbnail = defaultThumbnail, video }: Extras = {},
): Asset {
  const params = { assetId: row.id, userId, now }
  const url = (image?: ServerImageSize): MessageInitShape<typeof MessageAssetUrlSchema> => {
    const signed = assetUrl(from, { ...params, ...(image && { image }) })
    return { url: signed.url, expiresAt: timestampFromDate(signed.expiresAt) }
  }
  return create(AssetSchema, {
    id: row.id,
    filename: row.filename,
    contentType: row.contentType,
    size: BigInt(row.size),
    width: row.width,
    height: row.height,
    assetUrl: url(),
    ...(row.width > 0 && { thumbnailAssetUrl: url(thumbnail) }),
    ...(video && { videoProcessing: toVideoProcessing(video, (variant) => assetUrl(from, { ...params, variant })) }),
  })
}
