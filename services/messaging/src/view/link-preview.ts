import type { MessageInitShape } from '@bufbuild/protobuf'
import { serverImageUrl } from '@parley/signed-urls'
import type { LinkPreviewSchema } from '@parley/contracts/api'
import { decodePreview } from '../domain/page-preview.ts'
import type { ViewContext } from './view-context.ts'

/** Uploads scales preview images down to this size, in pixels. */
const maxImageSize = { width: 1200, height: 630, fit: 'contain' } as const

export function toLinkPreview(
  assets: ViewContext['assets'],
  stored: Uint8Array,
): MessageInitShape<typeof LinkPreviewSchema> {
  const { url, title, description, siteName, embedType, embedId, imageKey } = decodePreview(stored)
  return {
    url,
    ...(title && { title }),
    ...(description && { description }),
    ...(siteName && { siteName }),
    ...(embedType && { embedType }),
    ...(embedId && { embedId }),
    ...(imageKey && { imageUrl: serverImageUrl(assets, imageKey, maxImageSize), imageAssetId: imageKey }),
  }
}
