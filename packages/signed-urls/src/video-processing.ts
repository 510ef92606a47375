import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import {
  MessageVideoProcessingStatus,
  type MessageAssetUrlSchema,
  type MessageVideoProcessingSchema,
} from '@parley/contracts/api'
import type { VideoState } from '@parley/contracts/internal'
import { isVideoVariant, type VideoVariant } from './asset-url.ts'

/** Signs the URL of a variant for one reader. */
export type UrlOf = (variant: VideoVariant) => { url: string; expiresAt: Date }

const statuses: Record<string, MessageVideoProcessingStatus> = {
  processing: MessageVideoProcessingStatus.PROCESSING,
  completed: MessageVideoProcessingStatus.COMPLETED,
  failed: MessageVideoProcessingStatus.FAILED,
}

/** The state of a video as messages and files show it to one reader. */
export function toVideoProcessing(
  { status, durationMs, width, height, reasonCode, hasPoster, variants }: VideoState,
  urlOf: UrlOf,
): MessageInitShape<typeof MessageVideoProcessingSchema> {
  const toUrl = (variant: VideoVariant): MessageInitShape<typeof MessageAssetUrlSchema> => {
    const { url, expiresAt } = urlOf(variant)
    return { url, expiresAt: timestampFromDate(expiresAt) }
  }
  return {
    status: statuses[status] ?? MessageVideoProcessingStatus.UNSPECIFIED,
    ...{ durationMs, width, height, reasonCode },
    sourceAvailable: reasonCode !== 'original_missing',
    ...(hasPoster && { thumbnailAssetUrl: toUrl('poster') }),
    variants: variants.map((variant) => ({
      ...{ quality: variant.quality, width: variant.width, height: variant.height, size: variant.size },
      ...(isVideoVariant(variant.quality) && { assetUrl: toUrl(variant.quality) }),
    })),
  }
}
