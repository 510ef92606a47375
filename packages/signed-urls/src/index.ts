export {
  assetUrl,
  assetUrlLifeMs,
  isVideoVariant,
  readAssetAccess,
  type AssetAccess,
  type VideoVariant,
} from './asset-url.ts'
export { blobTicketHeader, blobTicketWindowMs, readBlobTicket, signBlobTicket, type BlobTicket } from './blob-ticket.ts'
export {
  isImageSize,
  readServerImageParams,
  serverImageFits,
  serverImageUrl,
  type ServerImageFit,
  type ServerImageSize,
} from './server-image-url.ts'
export { toVideoProcessing, type UrlOf } from './video-processing.ts'
