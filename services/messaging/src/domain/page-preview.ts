import { fromBinary } from '@bufbuild/protobuf'
import { PagePreviewSchema, type PagePreview } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'

/** Decodes the preview that is stored with a message. */
export const decodePreview = (stored: Uint8Array): PagePreview => fromBinary(PagePreviewSchema, stored)

/** Key of the image of a stored preview; empty for none. */
export const previewImageKey = (stored: Uint8Array | null): string => (stored ? decodePreview(stored).imageKey : '')

/** The last bytes of every encoded preview with this image: the key is its last field. */
export const endOfPreview = (imageKey: string): Uint8Array => encode(PagePreviewSchema, { imageKey })
