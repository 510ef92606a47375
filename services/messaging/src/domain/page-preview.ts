import { fromBinary } from '@bufbuild/protobuf'
import { PagePreviewSchema, type PagePreview } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'

export const decodePreview = (stored: Uint8Array): PagePreview => fromBinary(PagePreviewSchema, stored)

export const previewImageKey = (stored: Uint8Array | null): string => (stored ? decodePreview(stored).imageKey : '')

/** Every encoded preview with this image ends with these bytes: the key is its last field. */
export const endOfPreview = (imageKey: string): Uint8Array => encode(PagePreviewSchema, { imageKey })
