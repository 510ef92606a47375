import type { MessageInitShape } from '@bufbuild/protobuf'
import type { AttachedAssetSchema } from '@parley/contracts/internal'
import { isProcessedAsVideo } from '../domain/media-type.ts'
import type { AssetRow } from '../store/assets.ts'

export function toAttachedAsset(
  row: AssetRow,
  { videoEnabled }: { videoEnabled: boolean },
): MessageInitShape<typeof AttachedAssetSchema> {
  const { id: assetId, filename, contentType, size, width, height } = row
  return {
    assetId,
    filename,
    contentType,
    size: BigInt(size),
    width,
    height,
    toBeProcessed: videoEnabled && isProcessedAsVideo(row),
  }
}
