import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { assetUrl, type ServerImageSize } from '@parley/auth'
import {
  AssetSchema,
  ImageFitMode,
  type Asset,
  type ImageTransformOptions,
  type MessageAssetUrlSchema,
} from '@parley/contracts/api'
import type { AssetRow } from '../store/assets.ts'

/** Who will read the file, and what its addresses are made of. */
export type Showing = { userId: string; now: Date; from: { publicUrl: string; signingSecret: string } }

const usualThumbnail: ServerImageSize = { width: 120, height: 120, fit: 'cover' }

/** The size that was asked for. */
export function thumbnailSize(options: ImageTransformOptions | undefined): ServerImageSize {
  if (!options) return usualThumbnail
  const fit = options.fit === ImageFitMode.CONTAIN ? 'contain' : 'cover'
  return { width: options.width, height: options.height, fit }
}

/** A file as one reader sees it. */
export function toAsset(row: AssetRow, { userId, now, from }: Showing, thumbnail = usualThumbnail): Asset {
  const url = (image?: ServerImageSize): MessageInitShape<typeof MessageAssetUrlSchema> => {
    const made = assetUrl(from, { assetId: row.id, userId, now, ...(image && { image }) })
    return { url: made.url, expiresAt: timestampFromDate(made.expiresAt) }
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
  })
}
