import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ServerImageSize } from '@parley/signed-urls'
import { ImageFitMode, type ImageTransformOptions, type RoomAttachmentListItemSchema } from '@parley/contracts/api'
import type { RoomAttachment } from '../store/room-attachments.ts'
import { toUrl, toVideo } from './attachment.ts'
import type { Viewing } from './viewing.ts'

/** The requested size of thumbnails, 120 by 120 pixels by default. */
export function thumbnailSize(options: ImageTransformOptions | undefined): ServerImageSize {
  if (!options) return { width: 120, height: 120, fit: 'cover' }
  const { width, height, fit } = options
  return { width, height, fit: fit === ImageFitMode.CONTAIN ? 'contain' : 'cover' }
}

/** A file and the message that carries it. */
export function toRoomAttachment(
  viewing: Viewing,
  row: RoomAttachment,
  thumbnail: ServerImageSize,
): MessageInitShape<typeof RoomAttachmentListItemSchema> {
  const {
    assetId: id,
    filename,
    contentType,
    size,
    width,
    height,
    video,
    messageEventId,
    threadRootEventId,
    createdAt,
  } = row
  return {
    attachment: {
      ...{ id, filename, contentType, size, width, height },
      assetUrl: toUrl(viewing, id),
      ...(width > 0 && height > 0 && { thumbnailAssetUrl: toUrl(viewing, id, thumbnail) }),
      ...(video !== null && { videoProcessing: toVideo(viewing, id, video) }),
    },
    messageEventId,
    threadRootEventId: threadRootEventId ?? '',
    createdAt: timestampFromDate(createdAt),
  }
}
