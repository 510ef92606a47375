import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { ServerImageSize } from '@parley/signed-urls'
import { ImageFitMode, type ImageTransformOptions, type RoomAttachmentListItemSchema } from '@parley/contracts/api'
import type { RoomAttachment } from '../store/room-attachments.ts'
import { toUrl, toVideo } from './attachment.ts'
import type { ViewContext } from './view-context.ts'

export function thumbnailSize(options: ImageTransformOptions | undefined): ServerImageSize {
  if (!options) return { width: 120, height: 120, fit: 'cover' }
  const { width, height, fit } = options
  return { width, height, fit: fit === ImageFitMode.CONTAIN ? 'contain' : 'cover' }
}

export function toRoomAttachment(
  viewContext: ViewContext,
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
      assetUrl: toUrl(viewContext, id),
      ...(width > 0 && height > 0 && { thumbnailAssetUrl: toUrl(viewContext, id, thumbnail) }),
      ...(video !== null && { videoProcessing: toVideo(viewContext, id, video) }),
    },
    messageEventId,
    threadRootEventId: threadRootEventId ?? '',
    createdAt: timestampFromDate(createdAt),
  }
}
